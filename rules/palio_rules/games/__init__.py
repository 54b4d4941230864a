"""The games that ship with Palio, one file each. A file is meant to teach its game."""
