"""What a referee and its bots must agree on: games, moves, messages, records. Leans on msgspec and nothing else."""
