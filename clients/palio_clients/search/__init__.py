"""Search algorithms as a textbook would print them, one per file, each with its source."""
