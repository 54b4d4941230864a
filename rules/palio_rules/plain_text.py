"""Text from strangers, made safe for a terminal: bots and those who start matches choose names, notes and reasons."""


def one_line(text: str) -> str:
    r"""`text` as one line of printable characters, for what strangers say of themselves.

    >>> one_line("  alpha\tbeta\n\x1b[2J at\u202e depth 4 ")
    'alpha beta [2J at depth 4'
    """
    return "".join(character for character in " ".join(text.split()) if character.isprintable())


def plain(text: str, *, lines: bool = False) -> str:
    r"""`text` with every character made visible that could move a cursor, sound or turn the direction of writing.

    With `lines`, line breaks and tabs stay: for tracebacks and boards. Elsewhere they could forge a line of ours.

    >>> print(plain("\x1b[2Jé\n1-0"))
    \x1b[2Jé\n1-0
    """
    if text.isprintable():
        return text
    return "".join(
        character
        if character.isprintable() or (lines and character in "\n\t")
        else character.encode("unicode_escape").decode("ascii")
        for character in text
    )
