"""The bots that ship, named on the command line as in the entry-point group `palio.bots`."""
