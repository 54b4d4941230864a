"""The colours of the pictures, each by day and by night: those of the page's styles/tokens.css.

On `wash` and on every shade of `heat` text stands in `ink`.
"""

Colour = tuple[str, str]  # in light mode, and in dark mode


def mixed(first: str, last: str, share: float) -> str:
    """Return the colour at this share of the way from one to the other."""
    pairs = [(int(first[at : at + 2], 16), int(last[at : at + 2], 16)) for at in (1, 3, 5)]
    return "#" + "".join(f"{int(a + (b - a) * share + 0.5):02x}" for a, b in pairs)


HEATS = 12
_COOL: Colour = ("#fbf1dd", "#33271e")
_HOT: Colour = ("#e58f63", "#95492f")

COLOURS: dict[str, Colour] = {
    "paper": ("#fffaf1", "#241c17"),
    "sunken": ("#efe5d4", "#15100d"),
    "ink": ("#2b1e16", "#f2e7d8"),
    "soft": ("#6b5849", "#b8a694"),
    "line": ("#dfd0ba", "#40332a"),
    "edge": ("#b9a48b", "#8a7462"),  # of a tree: between line and soft
    "gold": ("#b98416", "#e4b65a"),
    "good": ("#2d6a4f", "#86c9a4"),
    "bad": ("#a3260f", "#ff9d85"),
    "square": ("#f3e6cd", "#3a2e25"),
    "block": ("#5d4a3a", "#0f0b08"),
    "lapis": ("#2b6398", "#86bdf0"),
    "brick": ("#b2492f", "#ec9371"),
    "olive": ("#5f7a2f", "#b3cc7e"),
    "ochre": ("#d29a2a", "#e4b65a"),
    "plum": ("#84508f", "#cf9fd9"),
    "wash": ("#f4e0d3", "#4a2e22"),
    "lapiswash": ("#d5e4f1", "#20384d"),
    "olivewash": ("#e4ebcf", "#333d1f"),
    "ochrewash": ("#f8e3b4", "#4d3a14"),
} | {
    f"heat{n}": (mixed(_COOL[0], _HOT[0], n / (HEATS - 1)), mixed(_COOL[1], _HOT[1], n / (HEATS - 1)))
    for n in range(HEATS)
}


def heat(share: float) -> str:
    """Return the shade for 0 (cool) to 1 (hot)."""
    return f"heat{int(share * (HEATS - 1) + 0.5)}"
