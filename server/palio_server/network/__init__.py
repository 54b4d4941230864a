"""How bots and browsers reach the server: the port, the handshake, the frames, the conversations with bots."""
