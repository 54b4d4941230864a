"""The history of the tables. `palio migrate` runs these alembic migrations; nothing else does.

A new version: change `models.py`, add a file to `versions` whose `revision` is the next number in four digits, write
its `upgrade` by hand. The first line of its docstring says what is new. `expands` is True if an older Palio can go on
with the tables; `rewrites` names the tables of which every row is read or written. Set the constants in
`palio_db.schema`; tests compare them with the files, and the tables that the migrations build with the models.
"""
