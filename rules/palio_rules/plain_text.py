"""Text from strangers, made safe for a terminal: bots and those who start matches choose names, notes and reasons."""

import json

MARK = "  | "  # before each line of what somebody else has written


def one_line(text: str) -> str:
    r"""`text` as one line of printable characters, for what strangers say of themselves.

    >>> one_line("  alpha\tbeta\n\x1b[2J at\u202e depth 4 ")
    'alpha beta [2J at depth 4'
    """
    return "".join(character for character in " ".join(text.split()) if character.isprintable())


def block(text: str) -> str:
    r"""`text` of several lines that somebody else has written, each marked, so that none can pass for one of ours.

    >>> print(block("Traceback:\n\x1b[31m  1-0 {reached-far-row}"))
      | Traceback:
      | \x1b[31m  1-0 {reached-far-row}
    """
    return "\n".join(f"{MARK}{plain(line, lines=True)}" for line in text.rstrip("\n").split("\n"))


def plain_json(text: str) -> str:
    r"""JSON `text` that says the same, with escapes in the place of all that could drive a terminal.

    >>> print(plain_json('{"note": "\u202e\x9b2J"}'))
    {"note": "\u202e\u009b2J"}
    """
    return text if text.isprintable() else "".join(map(_in_json, text))


def _in_json(character: str) -> str:
    if character.isprintable() or character in "\n\r\t ":
        return character
    return json.dumps(character)[1:-1] if not character.isascii() else f"\\u{ord(character):04x}"


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
