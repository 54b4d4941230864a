"""What a bot author runs: the `Bot` class, transports, search, and the agents that ship."""
