"""The boards that games are played on: cells, pieces, lines and their texts, shared by rules, puzzles and bots."""
