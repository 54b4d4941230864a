"""A match of chess as PGN, in the export format of the standard (Edwards 1994).

A comment is as cutechess-cli and fastchess write it, with the clock as lichess does:

    {+0.31/12 1.200s, n=40000, pv="Nf3 d5" [%clk 0:00:58.8]}

the evaluation from the mover's own view in pawns, or plies to mate (`+M5`), depth, seconds, nodes, expected line, time
left. Beside the standard's tags stand `Variant`, `Match` (the match's identity) and `TerminationDetails` (the reason in
one word).
"""

import re
import textwrap
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import Any

import msgspec
from msgspec import UNSET

from palio_rules.byoyomi import Stage
from palio_rules.contract.messages import Result
from palio_rules.game import Game
from palio_rules.records.record import AGREEMENT, Ply, Record
from palio_rules.time_control import DAY_MS, TimeControl

CHESS960 = {"variant": "chess960"}
_UNBROKEN = "\xa0"  # a blank at which no line is broken; `comment_text` leaves none
UNDATED = datetime(1970, 1, 1, tzinfo=UTC)  # when a game began whose date is unknown
DECIDED = 1000.0  # the score of a bot that sees a forced win
COLUMNS = 80  # of a line of moves
LONGEST = 255  # characters of a token
RESULTS = {(1.0, 0.0): "1-0", (0.0, 1.0): "0-1", (0.5, 0.5): "1/2-1/2"}
TERMINATIONS = {
    "rule": "normal", "resigned": "normal", "adjudicated": "adjudication", "illegal": "illegal move",
    "time": "time forfeit", "stalled": "stalled connection",
}  # fmt: skip
ABANDONED = "abandoned"
# How cutechess and fastchess say the end of a game, behind its last move.
_LOSSES = {
    "resigned": "resigns", "illegal": "makes an illegal move", "time": "loses on time",
    "stalled": "'s connection stalls", "disconnected": "disconnects", "crashed": "disconnects",
    "revoked": "disconnects",
}  # fmt: skip
_DRAWS = {
    "stalemate": "Draw by stalemate", "dead-position": "Draw by insufficient mating material",
    "threefold-repetition": "Draw by 3-fold repetition", "fifty-moves": "Draw by fifty moves rule",
    AGREEMENT: "Draw by agreement",
}  # fmt: skip
ENDS = re.compile(
    rf",? ?\b(?:(?:White|Black) ?(?:mates|wins by adjudication|{'|'.join(_LOSSES.values())})|Draw by [^,]*)$"
)
_MINIMAL = ("Event", "Site", "Date", "Round", "White", "Black", "Result", "SetUp", "FEN", "Variant", "Match")


def record_to_pgn(record: Record, *, round_: str = "-", minimal: bool = False) -> str:
    """Return a match as PGN, ending in an empty line. `minimal`: without comments, and only the tags that games need.

    Raises ValueError if the rules do not allow its plies.
    """
    rules = record.setup.rules()
    shown = {name: value for name, value in _tags(record, rules, round_) if not minimal or name in _MINIMAL}
    tags = [f"[{name} {string_token(value)}]" for name, value in shown.items()]
    moves = (text for text in _movetext(record, rules) if not minimal or not text.startswith("{"))
    return "\n".join([*tags, "", *wrapped(" ".join(moves)), "", ""])


def end_of(result: Result) -> str:
    """Return how cutechess and fastchess say a result: `White loses on time`; "" if they have no words for it."""
    winner, loser = ("White", "Black") if result.scores[0] > result.scores[1] else ("Black", "White")
    if result.scores[0] == result.scores[1]:
        return _DRAWS.get(result.reason, "Draw by adjudication" if result.termination == "adjudicated" else "")
    if result.termination == "adjudicated":
        return f"{winner} wins by adjudication"
    if result.termination == "rule":
        return f"{winner} mates" if result.reason == "checkmate" else ""
    return f"{loser} {_LOSSES[result.termination]}".replace(" '", "'")


def wrapped(movetext: str) -> Iterator[str]:
    """Yield the lines of a text of moves; none begins with a character that has a meaning there."""
    kept = re.sub(r"\[%clk [0-9:.]+\]", lambda found: found[0].replace(" ", _UNBROKEN), movetext)
    for line in textwrap.wrap(kept, COLUMNS - 1, break_long_words=True, break_on_hyphens=False):
        text = line.replace(_UNBROKEN, " ")
        yield f" {text}" if text.startswith(("%", ";", "[")) else text


def string_token(text: str) -> str:
    """Return a string token: one line, quotes and backslashes escaped, at most the standard's 255 characters."""
    plain = "".join(each if each.isprintable() else " " for each in text)
    written = plain.replace("\\", "\\\\").replace('"', '\\"')
    while len(written) > LONGEST:
        plain = plain[: len(plain) - (len(written) - LONGEST) // 2 - 1]
        written = plain.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{written}"'


def comment_text(text: str) -> str:
    """Return a text as it may stand in a comment, which ends at the first closing brace."""
    plain = " ".join("".join(each if each.isprintable() else " " for each in text).split())
    return plain.replace("{", "(").replace("}", ")").replace("[%", "[ %")


def clock_text(ms: int) -> str:
    """Return `0:01:02.345`, as lichess writes it; without thousandths where there are none."""
    seconds, rest = divmod(ms, 1000)
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" + (f".{rest:03}" if rest else "")


def time_control_text(time: TimeControl) -> str:
    """Return `10+0.1`, `40/60`; `1/0.5` for half a second a move; `-` for none."""
    if time.base_ms is not None:
        return str(msgspec.structs.replace(time, move_ms=None)).removesuffix("+0")
    return "-" if time.move_ms is None else f"1/{str(TimeControl(move_ms=time.move_ms)).removesuffix('/move')}"


def _tags(record: Record, rules: Game[Any, Any], round_: str) -> Iterator[tuple[str, str]]:
    setup, result = record.setup, record.result
    yield "Event", record.event or "?"
    yield "Site", "?"
    dated = record.started_at != UNDATED
    yield "Date", f"{record.started_at:%Y.%m.%d}" if dated else "????.??.??"
    yield "Round", round_
    yield from zip(("White", "Black"), setup.bots, strict=True)
    yield "Result", RESULTS.get((result.scores[0], result.scores[1]), "*")
    yield "Match", record.match
    if dated:
        yield "UTCDate", f"{record.started_at:%Y.%m.%d}"
        yield "UTCTime", f"{record.started_at:%H:%M:%S}"
    first, usual = (fen(rules, state) for state in (setup.first(), rules.start(rules.parse_options({}))))
    chess960 = CHESS960.items() <= setup.options.items() or bool(set(first.split(" ")[2]) - set("KQkq-"))
    yield "Variant", "Chess960" if chess960 else "Standard"
    if first != usual or chess960:
        yield "SetUp", "1"
        yield "FEN", first
    if setup.eco is not UNSET:
        yield "ECO", setup.eco
    if setup.opening_name is not UNSET:
        yield "Opening", setup.opening_name
    if setup.times is UNSET:
        yield "TimeControl", time_control_text(setup.time)
    else:
        names = ("WhiteTimeControl", "BlackTimeControl")
        yield from zip(names, map(time_control_text, setup.times), strict=True)
    agreed = result.reason == AGREEMENT  # the standard's "normal" is also the end by an agreement
    yield "Termination", "normal" if agreed else TERMINATIONS.get(result.termination, ABANDONED)
    yield "TerminationDetails", result.reason
    yield "PlyCount", str(len(setup.opening) + len(record.plies))
    if record.void is not UNSET:
        yield "Void", record.void.reason


def fen(rules: Game[Any, Any], state: Any) -> str:
    """Return the six fields; what our text has behind them, other programs do not read."""
    return " ".join(rules.format_state(state).split(" ")[:6])


def _movetext(record: Record, rules: Game[Any, Any]) -> Iterator[str]:
    setup = record.setup
    state = setup.first()
    _, turn, *_, number = fen(rules, state).split(" ")
    place = 2 * int(number) - (turn == "w")  # the number of the ply, from 1 in the first position
    clocks = Clocks(setup.clocks())
    rejected: dict[int, list[str]] = {}
    for each in record.refusals:
        text = comment_text(f"{each.move}: {each.reason}").replace("]", ")")
        rejected.setdefault(each.ply, []).append(f"[%rejected {text}]")
    for value in setup.opening:
        move = rules.read_move(state, value)
        yield from _numbered(place, rules.notation(state, move), "book")
        state, place = state.play(move), place + 1
    for count, ply in enumerate(record.plies):
        move = rules.read_move(state, ply.move)
        left = clocks.after(ply)
        end = [end_of(record.result)] if count == len(record.plies) - 1 else []
        words = [
            ", ".join(filter(None, [thinking(ply), *end])),
            *([] if left is None else [f"[%clk {clock_text(left)}]"]),
            *rejected.pop(count, []),
        ]
        yield from _numbered(place, rules.notation(state, move), " ".join(words))
        state, place = state.play(move), place + 1
    yield from (f"{{{' '.join(words)}}}" for words in rejected.values())
    yield RESULTS.get((record.result.scores[0], record.result.scores[1]), "*")


def _numbered(place: int, move: str, comment: str) -> Iterator[str]:
    yield f"{(place + 1) // 2}{'.' if place % 2 else '...'}"
    yield move
    yield f"{{{comment}}}"


def thinking(ply: Ply) -> str:
    """Return `+0.31/12 1.200s, n=40000, pv="Nf3 d5", a text`."""
    time = f"{ply.ms // 1000}.{ply.ms % 1000:03}s"
    info = ply.info
    if info is None:
        return time
    text = "" if info.text is UNSET else info.text
    more = []
    if info.score is not UNSET:
        mate = _MATE_TEXT.fullmatch(text)
        score = f"{info.score:+.2f}" if round(info.score, 2) else "0.00"
        if abs(info.score) >= DECIDED and mate is not None:  # in plies, as cutechess-cli has it
            plies = mate["plies"] or 2 * int(mate["moves"]) - (info.score > 0)
            score, text = f"{'+' if info.score > 0 else '-'}M{plies}", ""
        time = f"{score}/{0 if info.depth is UNSET else info.depth} {time}"
    elif info.depth is not UNSET:
        more.append(f"d={info.depth}")
    said = ((word, getattr(info, name)) for word, name in ENGINE_WORDS.items())
    more += [f"{word}={value}" for word, value in said if value is not UNSET]
    if info.wdl is not UNSET:
        more.append(f"wdl={'/'.join(map(str, info.wdl))}")
    if info.pv is not UNSET and info.pv:
        line = comment_text(" ".join(info.pv)).replace('"', "'")
        more.append(f'pv="{line}"')
    if text:
        more.append(comment_text(text))
    return ", ".join([time, *more])


# The words of fastchess for what an engine says of its search, and our fields.
ENGINE_WORDS = {"n": "nodes", "sd": "seldepth", "nps": "nps", "hashfull": "hashfull", "tbhits": "tbhits"}
_MATE_TEXT = re.compile(r"(?:wins|loses) in '?(?:(?P<moves>\d{1,5})'? moves?|(?P<plies>\d{1,5})'? pl(?:y|ies))")


class Clocks:
    """The time that each seat has left."""

    def __init__(self, times: Iterable[TimeControl]) -> None:
        self.times = tuple(times)
        self.left = [time.first_ms for time in self.times]
        self._moves = [0] * len(self.times)
        self._stones = [0 if time.byoyomi is UNSET else time.byoyomi.first_stones for time in self.times]

    def after(self, ply: Ply) -> int | None:
        """Return the time left after a move, with what the clock gains by it; None without a clock."""
        self._moves[ply.seat] += 1
        before, byoyomi = self.left[ply.seat], self.times[ply.seat].byoyomi
        if before is not None and byoyomi is not UNSET:
            self.left[ply.seat], self._stones[ply.seat] = byoyomi.after(before, ply.ms, self._stones[ply.seat])
        elif before is not None:
            gain = self.times[ply.seat].gain_ms(self._moves[ply.seat])
            self.left[ply.seat] = max(0, before - ply.ms) + gain
        return self.left[ply.seat]

    def stage(self, seat: int) -> Stage | None:
        """Return what the clock of `seat` shows of byo-yomi; None if it has none."""
        left, byoyomi = self.left[seat], self.times[seat].byoyomi
        return None if left is None or byoyomi is UNSET else byoyomi.stage(left, self._stones[seat])

    def spent(self, seat: int, left: int) -> int:
        """Return what a move took that left so much, and put the clock there.

        What a move took within a period of byo-yomi is not known then: 0.
        """
        self._moves[seat] += 1
        before = self.left[seat]
        self.left[seat] = left
        if before is None:
            return 0
        if self.times[seat].byoyomi is not UNSET:
            return max(0, before - left)
        return min(DAY_MS, max(0, before + self.times[seat].gain_ms(self._moves[seat]) - left))
