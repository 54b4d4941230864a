"""Plays the whole protocol against a bot and finds out what it does wrong. Behind `palio check-bot`."""
