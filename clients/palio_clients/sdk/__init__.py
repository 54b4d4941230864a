"""The parts for bot authors: `Bot`, its clock, the session with the server, transports, the runner and the loader."""
