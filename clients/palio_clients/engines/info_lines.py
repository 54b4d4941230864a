"""The `info` lines that a GUI reads of our bots: scores, mates, and with `MultiPV` the next best moves."""

from collections.abc import Sequence
from typing import Any

from msgspec import UNSET

from palio_clients.engines import texts
from palio_clients.engines.language import Language
from palio_clients.games import companion_of
from palio_clients.games.hints import RankedMove, rank
from palio_clients.sdk.clock import Clock
from palio_rules.contract.messages import Info
from palio_rules.game import Game

HUNDREDTHS = 100
SHARE, LONGEST_S = 0.1, 1.0  # of the time for a move, and seconds at most, that the next best moves take
DEPTH = 3  # plies that they are searched


def info_line(
    language: Language,
    rules: Game[Any, Any],
    state: Any,
    info: Info,
    seconds: float,
    others: Sequence[RankedMove] = (),
    lines: int = 1,
) -> list[str]:
    """Return a bot's `info` on `state` as a line for a GUI, with `others` as many `lines` as it wants."""
    ms = round(seconds * 1000)
    time = ["time", str(ms)]
    if info.nodes is not UNSET:
        time += ["nodes", str(info.nodes)]
        time += ["nps", str(round(info.nodes / seconds))] if ms > 0 else []
    best = [] if info.pv is UNSET else line_of(rules, state, info.pv)
    words = ["info", *([] if info.depth is UNSET else ["depth", str(info.depth)])]
    score = (
        [] if info.score is UNSET else _score(language, rules, state, info.score, [] if info.pv is UNSET else info.pv)
    )
    first = [*words, *(["multipv", "1"] if lines > 1 else []), *score, *time, *(["pv", *best] if best else [])]
    found = [" ".join(first)]
    moves = ((texts.write_move(rules, state, each.move), each) for each in others)
    rest = [(text, each) for text, each in moves if text not in best[:1]]
    for number, (text, each) in enumerate(rest[: lines - 1], 2):
        score = _score(language, rules, state, each.value, [rules.notation(state, each.move)])
        found.append(" ".join([*words, "multipv", str(number), *score, *time, "pv", text]))
    return found


def other_lines(rules: Game[Any, Any], state: Any, lines: int, clock: Clock) -> list[RankedMove]:
    """Return the best `lines` moves, of which one may be the bot's own; none where moves have no values.

    They take a tenth of the time for the move.
    """
    brief = Clock.of(min(LONGEST_S, SHARE * clock.seconds()))
    try:
        ranking = rank(companion_of(rules.name), rules, state, DEPTH, lambda: brief.expired() or clock.expired())
    except ValueError:
        return []
    return ranking.moves[:lines]


def _score(language: Language, rules: Game[Any, Any], state: Any, score: float, pv: Sequence[str]) -> list[str]:
    """Return `score cp N`, in hundredths, or `score mate N`, in the language's unit, if the line ends in a win."""
    seat = state.to_move
    for notation in pv:
        state = state.play(rules.parse_notation(state, notation))
    outcome = state.outcome()
    if outcome is None or len(set(outcome.scores)) == 1:
        return ["score", "cp", str(round(score * HUNDREDTHS))]
    wins = outcome.scores[seat] == max(outcome.scores)
    unit = len(pv) if language.mate_in == "plies" else (len(pv) + wins) // 2
    return ["score", "mate", str(unit if wins else -unit)]


def line_of(rules: Game[Any, Any], state: Any, pv: Sequence[str]) -> list[str]:
    """Return a line in notation as engines write it."""
    if not texts.moves_as_on_the_wire(rules):
        return [texts.compact(notation) for notation in pv]
    line = []
    for notation in pv:
        move = rules.parse_notation(state, notation)
        line.append(texts.write_move(rules, state, move))
        state = state.play(move)
    return line
