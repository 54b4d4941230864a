"""How bots and browsers reach the server: the port, the handshake, the sockets, the conversations with bots."""
