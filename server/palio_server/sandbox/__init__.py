"""Where strangers' programs run: what they may read, what they may use up, and how that is held to them."""
