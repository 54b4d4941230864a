"""What is remembered: matches, ratings, bots and their tokens, in SQLite or PostgreSQL."""
