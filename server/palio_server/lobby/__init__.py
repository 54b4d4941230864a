"""The lobby: connected bots, their sessions, and the permissions of each. No sockets."""
