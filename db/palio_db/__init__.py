"""What is remembered: matches, ratings, bots and their tokens, in SQLite or PostgreSQL. Begin at `palio_db.store`."""
