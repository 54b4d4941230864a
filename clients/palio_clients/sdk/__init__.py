"""What a bot author builds on: `Bot`, its clock, the session with the server, transports, the runner and the loader."""
