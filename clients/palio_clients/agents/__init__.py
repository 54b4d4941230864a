"""The bots that ship."""
