"""Who may connect, how often, and from where: budgets, addresses, places and sites. Pure, but for limits of files."""
