"""Instances for races: seeded generators that prove what they promise, and readers of files.

What comes out is a game's options, so that a match carries its instance with it and no bot ever needs the file.
"""
