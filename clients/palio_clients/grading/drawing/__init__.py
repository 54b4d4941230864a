"""Hidden cases of the ready assignments, one module each: `draw(seed)` returns them with their proven answers."""
