"""The formats that ship, one a file. Found by name: see `palio_server.tournament.format`."""
