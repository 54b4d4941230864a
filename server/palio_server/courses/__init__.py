"""A course's term: assignments, submissions, checks, practice and grades.

A course is a folder of text files that its staff keeps. What students hand in, and what it was worth, is in the store.
"""
