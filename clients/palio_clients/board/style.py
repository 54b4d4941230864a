"""Where things stand on the screen, and in which colours."""

from textual.theme import Theme

from palio_clients.board import palette

SIENA = Theme(
    name="siena",
    primary=palette.ACCENT,
    accent=palette.ACCENT,
    warning=palette.GOLD,
    error=palette.BAD,
    foreground=palette.INK,
    background=palette.GROUND,
    surface="#241c17",
    panel=palette.LINE,
    dark=True,
)

CSS = """
#head { height: 1; padding: 0 1; background: $surface; }
#body { height: 1fr; }
#side { width: 26; padding: 0 1; display: none; scrollbar-size: 1 1; }
.-wide #side { display: block; }
#status, #note { height: 1; padding: 0 1; }
#status { text-style: bold; background: $surface; }
#note { height: auto; min-height: 1; max-height: 3; }
#note.refused { color: $error; }
"""
