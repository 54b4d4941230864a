"""What the commands of `palio` do: tournaments, tables, boards in the terminal. `commands/` holds their options."""
