"""The HTTP and WebSocket API for programs and the page. One noun a file."""
