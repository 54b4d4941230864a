"""The network side of the server: the port, the handshake, the sockets, the conversations with bots and browsers."""
