"""The subcommands of `palio` that concern bots."""
