"""A server's tools for a language model, for clients that start programs (`palio mcp`)."""
