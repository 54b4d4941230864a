"""Who is here: connected bots, their sessions, and what each may do. No sockets."""
