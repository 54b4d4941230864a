"""Languages that engines of other projects speak. The core finds them by entry point only."""
