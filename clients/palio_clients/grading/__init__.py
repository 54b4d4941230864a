"""Tests of a course's staff, run on what a student handed in; and assignments that are ready to use."""
