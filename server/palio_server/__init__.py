"""The server of an operator: referee, lobby, bus, page, tournaments, and the `palio` command."""
