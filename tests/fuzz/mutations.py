"""Texts that are nearly right: what people, other programs and enemies make of a text that we would understand."""

import random
from collections.abc import Sequence

from hypothesis import strategies as st

SPICES = [
    *("\0", "\ufeff", "\u2028", "\x85", "\x1b[31m", "\ud800", "\u202e", "\r\n", "\r", "\n\n", "\t", " "),
    *("٣", "²", "½", "\uff11", "Ⅷ", "é", "🐴"),  # several of them are digits to str.isdigit
    *("0", "-0", "-1", "+1", "007", "1_0", "0x10", "1.", ".5", "1e5", "1e999", "-1e999", "NaN", "Infinity", "-inf"),
    *("9" * 30, "9" * 5000, "1" + "0" * 400, str(2**53), str(2**63), str(2**64)),
    *('"', "'", "\\", "\\u", "{", "}", "[", "]", "(", ")", "<", ">", "&", "%s", "%", "$", "#", ";", "--", "="),
    *(",", ":", "/", "|", "@", "*", "?", "null", "true", "[[[[", "}}}}", '{"a":', "[" * 3000, "a" * 3000, "../" * 20),
]


@st.composite
def mutated(draw: st.DrawFn, corpus: Sequence[str]) -> str:
    """One of the texts after up to four changes: something cut out, put in, doubled, moved, or another's part."""
    text = draw(st.sampled_from(corpus))
    for _ in range(draw(st.integers(0, 4))):
        choose = random.Random(draw(st.integers(0, 2**32)))
        text = changed(text, corpus, choose)
    return text


def changed(text: str, corpus: Sequence[str], choose: random.Random) -> str:
    """`text` after one change."""
    start = choose.randrange(len(text) + 1)
    end = min(len(text), start + choose.choice([0, 0, 1, 1, 2, 5, 20]))
    part = text[start:end]
    match choose.randrange(8):
        case 0 | 1:
            return text[:start] + choose.choice(SPICES) + text[end:]
        case 2:
            return text[:start] + text[end:]
        case 3:
            return text[:start] + part * choose.choice([2, 3, 50]) + text[end:]
        case 4:
            other = choose.choice(corpus)
            cut = choose.randrange(len(other) + 1)
            return text[:start] + other[cut : cut + 20] + text[end:]
        case 5:
            lines = text.split("\n")
            lines.insert(choose.randrange(len(lines) + 1), choose.choice(lines))
            return "\n".join(lines)
        case 6:
            words = text.split(" ")
            words[choose.randrange(len(words))] = choose.choice(SPICES)
            return " ".join(words)
        case _:
            return text[:start] + chr(choose.choice([choose.randrange(128), choose.randrange(0xD800)])) + text[end:]


def giants(corpus: Sequence[str]) -> list[str]:
    """Return texts that are too large, in several ways: a line of ten megabytes, nesting without end,
    many short lines.
    """
    first = corpus[0]
    return [
        "a" * 10_000_000,
        "1" * 10_000_000,
        first + "[" * 300_000,
        '{"a":' * 200_000,
        "(" * 200_000 + ")" * 200_000,
        "\n" * 300_000,
        first * (500_000 // max(1, len(first))),
        "1 " * 300_000,
        "/" * 300_000,
        "\0" * 300_000,
    ]
