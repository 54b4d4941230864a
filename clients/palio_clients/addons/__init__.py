"""Optional parts: bots of other libraries and models. The core finds them by entry point only."""
