"""What an operator runs: referee, lobby, bus, page, tournaments, and the `palio` command."""
