"""OpenSpiel's bots as Palio's: `openspiel:mcts:simulations=1000`. Loaded when such a bot is named."""
