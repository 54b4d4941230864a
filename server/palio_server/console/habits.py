"""What fingers used to cutechess-cli and fastchess type, turned into the options of `palio`.

`-concurrency 4` is read as `--concurrency 4`, and the words `tc=10+0.1` and `st=0.5` as `--tc 10+0.1` and `--st 0.5`.
"""

import re
from collections.abc import Iterable

_SINGLE_DASH = re.compile(r"-[a-z][a-z-]+(=.*)?", re.DOTALL)  # two letters at least: -o and -h stay as they are
_WORDS = re.compile(r"(tc|st)=(.+)")


def normalise(words: Iterable[str]) -> list[str]:
    """The words of a command line as `palio` spells them; what follows `--` is left alone.

    >>> normalise(["run", "breakthrough", "a", "b", "-rounds", "10", "tc=10+0.1"])
    ['run', 'breakthrough', 'a', 'b', '--rounds', '10', '--tc', '10+0.1']
    """
    read: list[str] = []
    rest = iter(words)
    for word in rest:
        if word == "--":
            return [*read, word, *rest]
        if found := _WORDS.fullmatch(word):
            read += [f"--{found[1]}", found[2]]
        else:
            read.append(f"-{word}" if _SINGLE_DASH.fullmatch(word) else word)
    return read
