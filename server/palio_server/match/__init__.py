"""One match, from its first message to its result: the referee and what it is made of. No store, no bus, no sockets."""
