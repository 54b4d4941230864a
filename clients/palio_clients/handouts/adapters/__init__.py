"""One adapter per handout, each a `Coursework`; `palio_clients.handouts.courses` lists them."""
