"""The move in a model's answer. Pure: knows the rules, and no endpoint.

What stands between <think> and </think> is left out. Then the first of these that is there decides, and of several the
last one:

1. a line `MOVE: e2-e3`, however it is decorated;
2. a JSON object with "move", in a code fence or without one;
3. a last line that is a move alone, legal or not;
4. a code fence in which exactly one legal move is named;
5. the last line in which legal moves are named, if it names exactly one.

A move is read as the game writes it; as people do who write e2e3, "e2 to e3" or another dash, if only one legal move
looks like that; or as on the wire. Letters that only look like others are not taken for them. A move that can be read
is returned even if the rules forbid it: to say so is the referee's business.
"""

import json
import re
import unicodedata
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import islice
from typing import Any, Literal

from palio_clients.addons.llm.http import NoMove
from palio_rules.errors import quoted
from palio_rules.game import Game

MOST = 40_000  # characters of an answer that are read, its last ones
MAX_LISTED = 500  # legal moves that are looked for by name,
MOST_NAMED = 8_000  # and in how many characters, the last ones
MAX_OBJECTS = 50  # braces at which JSON is tried
_MARK = re.compile(r"<(/?)(?:think|thinking|reasoning|thought)>", re.IGNORECASE)
_SAID = re.compile(
    r"^(?:[^\w{]|_)*(?:(?:my|the|best|final|chosen|next)\s+)*(?:move|answer)\b[*_`\"' ]*(?:is\s*)?[:=]+(.*)$",
    re.IGNORECASE,
)
_FENCE = re.compile(r"```[^\n`]*\n(.*?)```|```([^`\n]+)```", re.DOTALL)
_SQUARES = re.compile(r"([a-z]\d+)[-x]([a-z]\d+)")
_DASHES = dict.fromkeys(map(ord, "‐‑‒–—―−﹣－→⟶➝⇒"), "-")  # noqa: RUF001  # what models write for one
_AROUND = " \t\r*_`\"'“”‘’«»<>|#.,;:!"  # noqa: RUF001  # decoration of a move
_NUMBERS = re.compile(r"[\[(]?\s*\d+(?:[\s,;>-]+\d+)+\s*[\])]?")


def find_move(text: str, game: Game[Any, Any], state: Any, think: Literal["ignore", "read"] = "ignore") -> Any:
    """Return the move that `text` says, perhaps an illegal one. Raises NoMove, with a sentence for its author."""
    words = text if think == "read" else spoken(text)
    if not words.strip():
        raise NoMove("there is no answer behind the reasoning" if text.strip() else "the answer is empty")
    words = "".join(each for each in words[-MOST:].translate(_DASHES) if each in "\n\t" or each.isprintable())
    reader = _Reader(game, state)
    lines = [line for line in words.splitlines() if line.strip()] or [""]
    said = [found[1] for line in lines if (found := _SAID.match(line))]
    if said:
        return reader.stated(said[-1])
    if (value := _in_json(words)) is not None:
        return reader.from_json(value)
    fences = [found[1] or found[2] for found in _FENCE.finditer(words)]
    for part in (lines[-1], *fences[-1:]):
        if (own := reader.whole(part)) is not None:
            return own[0]
    lines = [line for line in words[-MOST_NAMED:].splitlines() if line.strip()]
    for part in [*reversed(fences), *reversed(lines)]:
        named = reader.named(part)
        if len(named) == 1:
            return named[0]
        if named and part not in fences:
            raise NoMove(_several(reader.notations(named)))
    raise NoMove("no move was found in the answer; end it with one line: MOVE: and the move as it is listed")


def spoken(text: str) -> str:
    """An answer without its reasoning, the marks of which may be unbalanced."""
    found: list[str] = []
    start, inside = 0, False
    for mark in _MARK.finditer(text):
        if not mark[1]:
            if not inside:
                found.append(text[start : mark.start()])
            inside = True
            continue
        if not inside:
            found.clear()  # some models are begun within their reasoning
        start, inside = mark.end(), False
    return "\n".join(found if inside else [*found, text[start:]])  # and some are cut off within it


def _several(names: Iterable[str]) -> str:
    return (
        f"the answer names several moves ({', '.join(islice(names, 4))}); end it with one line: MOVE: and one of them"
    )


def _in_json(text: str) -> Any:
    """Return the move in the last JSON object with "move" in it; None if there is none."""
    decoder = json.JSONDecoder()
    for at in reversed([found.start() for found in re.finditer(r"\{", text)][-MAX_OBJECTS:]):
        try:
            value, _ = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict):
            by_name = {str(name).lower(): each for name, each in value.items()}
            if by_name.get("move") is not None:
                return by_name["move"]
    return None


class _Reader:
    """Reads moves of one position."""

    def __init__(self, game: Game[Any, Any], state: Any) -> None:
        self._game, self._state = game, state
        legal = list(islice(state.legal_moves(), MAX_LISTED))
        self._written = [(game.notation(state, move), move) for move in legal]
        self._by_key: dict[str, list[Any]] = {}
        for notation, move in self._written:
            for key in {_key(notation), _joined(_key(notation))}:
                self._by_key.setdefault(key, []).append(move)
        self._pattern = _pattern(notation for notation, _ in self._written)

    def stated(self, words: str) -> Any:
        """Return the text behind MOVE: on its line."""
        for text in (words, next(iter(words.strip(_AROUND).split()), "")):
            if (found := self.whole(text)) is not None:
                return found[0]
        named = self.named(words)
        if len(named) == 1:
            return named[0]
        if named:
            raise NoMove(_several(self.notations(named)))
        raise NoMove(f"{quoted(words.strip(_AROUND))} behind MOVE: {self._why_not(words)}")

    def from_json(self, value: Any) -> Any:
        """Return the move of a JSON object: notation, or plain lists as on the wire."""
        if isinstance(value, str):
            return self.stated(value)
        try:
            return self._game.move_from_wire(value)
        except (ValueError, RecursionError, TypeError):
            raise NoMove(f"{quoted(value)} is no move of this game; write it as it is listed") from None

    def whole(self, text: str) -> tuple[Any] | None:
        """The move if `text` is one, decoration apart, and nothing else."""
        plain = text.strip(_AROUND + "\n")
        if not plain or len(plain) > MOST:
            return None
        return next(self._readings(plain), None)

    def _readings(self, plain: str) -> Iterator[tuple[Any]]:
        folded = unicodedata.normalize("NFKC", plain)
        for text in dict.fromkeys((plain, folded, folded.replace(" ", ""))):
            try:
                yield (self._game.parse_notation(self._state, text),)
            except (ValueError, RecursionError):
                continue
        for key in dict.fromkeys((_key(folded), _joined(_key(folded)))):
            if len(found := self._by_key.get(key, [])) == 1:
                yield (found[0],)
        yield from self._lists(folded)

    def _lists(self, text: str) -> Iterator[tuple[Any]]:
        """Lists as on the wire; in an anytime race, numbers however they are divided."""
        if text.startswith("["):
            with suppress(ValueError, RecursionError, TypeError):
                yield (self._game.move_from_wire(json.loads(text)),)
        if self._game.anytime and _NUMBERS.fullmatch(text):
            numbers = re.findall(r"\d+", text)
            for form in ("-".join(numbers), " ".join(numbers)):
                try:
                    yield (self._game.parse_notation(self._state, form),)
                except (ValueError, RecursionError):
                    continue

    def named(self, text: str) -> list[Any]:
        """The legal moves that are named in `text`, each once."""
        if self._pattern is None:
            return []
        found = self._pattern.finditer(_folded(text[-MOST_NAMED:]))
        keys = dict.fromkeys(_joined(_key(each[0])) for each in found)
        moves = [self._by_key[key][0] for key in keys if len(self._by_key.get(key, ())) == 1]
        return [move for at, move in enumerate(moves) if move not in moves[:at]]

    def notations(self, moves: Iterable[Any]) -> Iterator[str]:
        return (self._game.notation(self._state, move) for move in moves)

    def _why_not(self, words: str) -> str:
        """The game's own sentence about a text that is no move."""
        try:
            self._game.parse_notation(self._state, words.strip(_AROUND)[:200])
        except ValueError as error:
            return f"is no move: {error}"
        return "is no move"


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()


def _key(text: str) -> str:
    return re.sub(r"\s+", "", _folded(text))


def _joined(key: str) -> str:
    """Return two squares without what stands between them: e2-e3, e2xe3, e2 to e3, e2e3; all else unchanged."""
    found = re.fullmatch(r"([a-z]\d+)(?:[-x:]|to)?([a-z]\d+)", key)
    return found[1] + found[2] if found else key


def _pattern(notations: Iterable[str]) -> re.Pattern[str] | None:
    """Finds any of these in a text, as whole words."""
    parts = []
    for notation in sorted(notations, key=len, reverse=True):
        squares = _SQUARES.fullmatch(notation.casefold())
        parts.append(rf"{squares[1]}\s*(?:[-x:]|to\b|)\s*{squares[2]}" if squares else re.escape(_folded(notation)))
    return re.compile(rf"(?<![^\W_])(?:{'|'.join(parts)})(?![^\W_])") if parts else None
