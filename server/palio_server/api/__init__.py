"""HTTP and WebSockets: what programs ask, what the page follows. One noun a file."""
