"""Optional parts: environments for learning, and games of another library. The core finds them by entry point only."""
