"""How bots and browsers reach the server: the port, the frames, the conversations, the seats on the bus."""
