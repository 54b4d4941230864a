"""One match: the referee and what it is made of, from the first message to the committed result."""
