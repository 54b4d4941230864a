"""The database layer: matches, ratings, bots and their tokens, in SQLite or PostgreSQL. Begin at `palio_db.store`.

`values` has the values that the store takes and returns; that module and `errors` do not depend on a database.
"""
