"""The bots that ship, each in its own file and named on the command line as in pyproject's group `palio.bots`."""
