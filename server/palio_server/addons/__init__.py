"""Optional parts of a server. The core finds them by entry point only."""
