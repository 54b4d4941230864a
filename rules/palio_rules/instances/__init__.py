"""Instances for races: seeded generators that prove the properties of their instances, and readers of files.

The result is a game's options, so that a match contains its instance and no bot ever needs the file.
"""
