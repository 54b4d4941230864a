"""The history of the tables. The store runs these alembic migrations when it is opened.

A new version: change `models.py`, add a file to `versions` whose `revision` is the next number in four digits, write
its `upgrade` by hand. A test compares the tables that the migrations build with the models.
"""
