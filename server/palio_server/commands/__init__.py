"""The subcommands of `palio` that concern the server."""
