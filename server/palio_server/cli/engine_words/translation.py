"""The words after `palio run`, read from left to right."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from palio_rules.errors import BadOption
from palio_server.cli.engine_words import options
from palio_server.cli.engine_words.line import Line
from palio_server.cli.engine_words.readers import READERS
from palio_server.cli.engine_words.words import Words, option_of, pair_of


@dataclass(frozen=True, slots=True)
class Translation:
    """A command line in our words, and sentences about what had no effect."""

    words: list[str]
    notes: list[str]


def translated(words: Iterable[str], is_file: Callable[[str], bool] = lambda path: Path(path).is_file()) -> Translation:
    """The words after `palio run`, as `palio run` reads them; what follows `--` is left alone.

    `is_file` says whether there is a file. Raises BadOption for what has no meaning here, with the name of ours.

    >>> translated("breakthrough -engine cmd=./a -engine cmd=./b name=B -each tc=10+0.1 -games 2".split()).words
    ['breakthrough', 'exec:./a', 'B=exec:./b', '--games-per-encounter', '2', '--tc', '10+0.1']
    """
    line, rest, tail = Line(), Words(words), list[str]()
    for word in rest:
        if word == "--":
            tail = [word, *rest]
        elif (found := option_of(word)) is None:
            _plain(line, word)
        else:
            _option(line, word, *found, rest)
    return Translation([*line.finished(is_file), *tail], line.notes)


def _plain(line: Line, word: str) -> None:
    """`tc=10+0.1`, the game, or a bot."""
    pair = pair_of(word)
    if pair and pair[0] in ("tc", "st") and pair[1]:
        line.option(*pair)
    else:
        line.bot(word)


def _option(line: Line, word: str, name: str, value: str | None, rest: Words) -> None:
    given = rest if value is None else Words([value])  # -event=Cup
    if name in options.REFUSED:
        raise BadOption(f"there is no -{name} here: {options.REFUSED[name]}")
    if name in options.NEEDLESS:
        count, why = options.NEEDLESS[name]
        _ = [given.value(word) for _ in range(count)]
        line.notes.append(f"-{name} is not needed: {why}")
    elif name in options.RENAMED:
        line.option(options.RENAMED[name], given.value(word))
    elif name in options.JOINED:
        _joined(line, name, given)
    elif name in READERS:
        READERS[name](line, given)
    else:
        _ours(line, word, name, rest if value is None else None)


def _joined(line: Line, name: str, rest: Words) -> None:
    """`elo0=0 elo1=5`, in one word or in several; or a word without a key, which is refused later."""
    found = rest.pairs(f"--{name}", options.JOINED[name], spaced=True)
    line.option(name, " ".join(f"{key}={value}" for key, value in found.items()) or rest.value(f"--{name}"))
    if name == "sprt":
        line.sprt = len(line.words) - 1


def _ours(line: Line, word: str, name: str, rest: Words | None) -> None:
    """An option of `palio run`, with one dash or two; its value is left alone."""
    single = not word.startswith("--") and len(name) > 1 and name.islower()
    line.words.append(f"-{word}" if single else word)
    if rest is not None and name in options.OURS:
        line.words.append(rest.any_value(word))
