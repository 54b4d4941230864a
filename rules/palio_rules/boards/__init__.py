"""The boards of the games: cells, pieces, lines and their texts, shared by rules, puzzles and bots."""
