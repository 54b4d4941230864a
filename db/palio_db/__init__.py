"""The store: matches, ratings, bots and their tokens, in SQLite or PostgreSQL. Begin at `palio_db.store`.

`values` has what goes into it and comes out; that module and `errors` know no database.
"""
