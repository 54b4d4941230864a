"""The games that ship with Palio, one file each. Each file is written to teach its game."""
