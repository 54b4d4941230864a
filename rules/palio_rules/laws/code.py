"""All laws in order, and the check of a walk against them."""

import random
from collections.abc import Iterator
from pathlib import Path
from sys import modules

from palio_rules.errors import quoted
from palio_rules.laws import moves, positions
from palio_rules.laws.walk import Broken, Finding, Law, Sample, Walk
from palio_rules.python_file import place

LAWS = (
    Law(
        "its settings are read",
        "give each field of options_type a default, bounds and a description",
        whole=positions.options,
    ),
    Law(
        "the same seed gives the same first position",
        "draw with random.Random(seed) only, and let instance() write out what was drawn",
        whole=positions.starts,
    ),
    Law(
        "random games go through",
        "every listed move must be played without an error; the line says where it happens",
        whole=positions.plays,
        each=positions.plays_each,
    ),
    Law(
        "random games come to an end",
        "count plies in the position and end it as a draw, or forbid what goes in circles",
        whole=positions.ends,
    ),
    Law(
        "it is over when nobody is to move and nothing is listed",
        "let to_move be None exactly where outcome() is not None, and list no moves there",
        each=positions.turns,
    ),
    Law(
        "scores fit the kind of the game",
        "a duel has (1, 0), (0, 1) or (0.5, 0.5), a table shares 1 among its winners, a race has (1,) or (0,)",
        each=positions.scores,
    ),
    Law(
        "whoever forfeits does not win",
        "forfeit() gives an Outcome, or at a table a position that goes on without the seat",
        each=positions.forfeits,
    ),
    Law(
        "only a solved race has a cost",
        "cost() is a number where a race has a solution, and None elsewhere; lower_bound() is never above it",
        each=positions.costs,
    ),
    Law(
        "positions are frozen",
        "write @dataclass(frozen=True, slots=True), or a NamedTuple; play() makes a new one with dataclasses.replace",
        each=positions.frozen,
    ),
    Law(
        "positions are equal and hashed by their value",
        "keep tuples, frozensets and numbers in a position, no lists, sets or dicts",
        each=positions.hashable,
    ),
    Law(
        "positions can be copied and pickled",
        "keep plain values in a position; for others write __reduce__",
        each=positions.copies,
    ),
    Law(
        "play changes nothing but makes a new position",
        "build a new position of new values; what is shared between positions must not be changed",
        each=positions.unchanged_by_play,
    ),
    Law(
        "moves are listed once, in one order",
        "yield each move once, in a documented order; a set has none",
        each=moves.listed_once,
    ),
    Law(
        "a move passes check exactly when it is listed",
        "let check() raise IllegalMove for all that legal_moves() does not list, and for nothing else",
        each=moves.checked,
    ),
    Law(
        "no move is legal after the end",
        'let check() begin with: if self.to_move is None: raise IllegalMove("game-over", "the game is over")',
        each=moves.over,
    ),
    Law(
        "moves come back from the wire as they left",
        "let move_to_wire give plain lists, integers and strings, which move_from_wire reads; a NamedTuple is one",
        each=moves.wire,
    ),
    Law(
        "a hostile wire value is refused, and nothing else",
        "take values apart by pattern, as in case [int(heap), int(stones)], and raise MalformedMove for the rest",
        each=moves.hostile,
    ),
    Law("what is refused is quoted", "end the sentence of MalformedMove in: got {quoted(value)}", each=moves.quotes),
    Law(
        "notation is one word, for one move",
        "tell moves apart in it, leave out white space, and let parse_notation read what notation writes",
        each=moves.notation,
    ),
    Law(
        "a hostile notation is refused, and nothing else",
        "match the text with a regular expression and raise MalformedMove where it does not fit",
        each=moves.hostile_notation,
    ),
    Law(
        "a position is read back from its text",
        "write all that the rules need: whose turn it is, options, history; and read it all",
        each=moves.round_trip,
    ),
    Law(
        "a hostile position is refused, and nothing else",
        "raise BadPosition with the place for whatever format_state would not have written in this way",
        each=moves.hostile_texts,
    ),
    Law(
        "the text board has several lines",
        "join the rows with line breaks and strip what is blank at the end of each",
        each=moves.board,
    ),
    Law(
        "the scene stays on its board",
        "marks, cells and names have to fit rows x cols; seats are those of the game",
        each=moves.scene,
    ),
    Law(
        "gestures make the moves they show",
        "touches() gives cells of the scene that no other move has in common, and meant() reads any cells",
        each=moves.gestures,
    ),
    Law("speed", "", whole=positions.speed),
)


def findings(walk: Walk) -> Iterator[Finding]:
    """Yield one finding for each law, in order. A law whose data the walk lacks is skipped."""
    for law in LAWS:
        if not walk.samples and law.whole is None:
            yield Finding(law.name, "skip", "there is no first position")
        else:
            yield check_law(law, walk)


def check_law(law: Law, walk: Walk) -> Finding:
    """Check the game of a walk against `law`."""
    sample: Sample | None = None
    detail = ""
    try:
        if law.whole is not None:
            sample = _where(law, walk)
            detail = law.whole(walk) or ""
        closed = [each for each in walk.ends if each not in walk.samples]
        for number, found in enumerate([*walk.samples, *closed] if law.each is not None else ()):
            sample = found
            law.each(walk, sample, random.Random(walk.seed * 1_000_003 + number))  # type: ignore[misc]
    except Broken as broken:
        return _finding(law, walk, sample, _said(broken, walk))
    except Exception as error:  # noqa: BLE001  # any error of a game is a finding
        return _finding(law, walk, sample, _told(error, walk))
    return Finding(law.name, "ok", detail)


def _where(law: Law, walk: Walk) -> Sample | None:
    """Return the sample that a law about the whole walk is about."""
    if law.whole is positions.ends:
        return walk.endless
    return walk.error[2] if law.whole is positions.plays and walk.error is not None else None


def _said(broken: Broken, walk: Walk) -> str:
    found = "" if broken.__cause__ is None else _line(broken.__cause__, walk)
    return f"{broken} ({found})" if found else str(broken)


def _told(error: Exception, walk: Walk) -> str:
    found = _line(error, walk)
    return f"it raises {type(error).__name__}: {quoted(str(error), 200)}{f' ({found})' if found else ''}"


def _line(error: BaseException, walk: Walk) -> str:
    """Return `mygame.py, line 12`, if an error was raised in the game's own file."""
    file = getattr(modules.get(type(walk.rules).__module__), "__file__", None) or ""
    words = place(error, file)
    return f"{Path(file).name}, {words.partition(':')[0]}" if file and words.startswith("line ") else ""


def _finding(law: Law, walk: Walk, sample: Sample | None, detail: str) -> Finding:
    if sample is None:
        return Finding(law.name, "FAIL", detail, remedy=law.remedy)
    position, path = walk.told(sample)
    return Finding(law.name, "FAIL", detail, position, path, sample.seed, law.remedy)
