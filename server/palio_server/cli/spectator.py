"""A viewer's state of one match: a snapshot, kept up to date by deltas, shown as lines or as a board."""

from collections import deque
from collections.abc import Iterator, Sequence

from msgspec import UNSET, structs

from palio_rules.contract.messages import Result
from palio_rules.plain_text import block, plain
from palio_rules.records.boards import ranks
from palio_server import live
from palio_server.cli.printing import columns, seconds
from palio_server.tournament.score_lines import outcome, paid, ranking, versus, why

MOVES_SHOWN = 10  # the newest ones, beside the board
ENTRANTS_SHOWN = 16  # of a race; of more, those that are behind are only counted


class Spectator:
    """Follows one match."""

    def __init__(self, snapshot: live.MatchSnapshot) -> None:
        self.seq: int
        self.summary: live.Summary
        self._take(snapshot)

    @property
    def result(self) -> Result | None:
        return self.summary.result

    def hear(self, message: live.LiveMessage) -> list[str]:
        """Take in a message, and return its lines; none for a message about another match, or an old one."""
        match message:
            case live.MatchSnapshot():
                return self._catch_up(message)
            case live.Delta() if message.match == self.summary.match and message.seq > self.seq:
                self.seq = message.seq
                return self._note(message)
        return []

    def _catch_up(self, snapshot: live.MatchSnapshot) -> list[str]:
        """Return the lines about missed events, and the present board."""
        former, refused = self.lines, self.rejected
        self._take(snapshot)
        known = 0  # plies that were reported
        while known < min(len(former), len(self.lines)) and _same(former[known], self.lines[known]):
            known += 1
        lines = [f"the match goes on after ply {known}"] if known < len(former) else []
        lines += self._story(known, [move for move in self.rejected if move not in refused])
        return [*lines, *self._position(), *self.ending()]

    def introduction(self) -> list[str]:
        """Return the players, the game, and the present board."""
        summary = self.summary
        seats = [seat.bot if self._race else f"{seat.bot} ({seat.name})" for seat in summary.seats]
        event = f", {summary.event}" if summary.event else ""
        who = versus(seats, race=self._race)
        lines = [plain(f"{summary.match}: {summary.title}, {who}, {summary.time}{event}")]
        return [*lines, *self._programs(), *self._story(), *self._position(), *self.ending()]

    def _programs(self) -> Iterator[str]:
        """Yield how each bot's program was confined, as far as that is known."""
        for seat, text in enumerate(self.summary.confined):
            if text:
                yield plain(f"{self._seat(seat)}'s program: {text}")

    def _story(self, known: int = 0, refused: Sequence[live.RejectedMoveView] | None = None) -> Iterator[str]:
        """Yield all moves but the `known` first ones, each rejected one (or of `refused`) before the one played
        instead.
        """
        rejected = deque(self.rejected if refused is None else refused)
        for line in self.lines[known:]:
            while rejected and rejected[0].ply < line.ply:
                yield self._rejection(rejected.popleft())
            yield _line(line, self._seat(line.seat))
        yield from map(self._rejection, rejected)

    @property
    def _race(self) -> bool:
        return self.summary.kind == "race"

    def _position(self) -> list[str]:
        """Return the board; of a race that of the leader, and the standings."""
        view = self.summary.view
        if not self._race:
            return [plain(view.text, lines=True)]
        leader = _ahead(view.race or [], self.result)[0]
        shown = self.boards[leader] if self.boards else view
        return [f"{self._seat(leader)}:", plain(shown.text, lines=True), standings(self.summary, view, self.result)]

    def _take(self, snapshot: live.MatchSnapshot) -> None:
        self.seq, self.summary = snapshot.seq, snapshot.summary
        self.lines, self.rejected = list(snapshot.lines), list(snapshot.refusals)
        self.boards = list(snapshot.boards)  # of a race: the newest one of each entrant
        self.news = ""  # the last thing that happened besides moves

    def _note(self, delta: live.Delta) -> list[str]:
        match delta:
            case live.Started(summary=summary):
                self.summary = summary
                self.news = "the clocks run"
            case live.Played(line=line, view=view):
                self.lines.append(line)
                if self._race:
                    self.boards[line.seat] = view
                self._update(view=view)
                self.news = ""
                return [_line(line, self._seat(line.seat))]
            case live.Rejected(refusal=move):
                self.rejected.append(move)
                self.news = self._rejection(move)
            case live.Absent(seat=seat, grace_ms=grace):
                self._update(absent=[*self.summary.absent, seat])
                self.news = f"{self._seat(seat)} has lost its connection and has {seconds(grace)} to return"
            case live.Back(seat=seat):
                self._update(absent=[other for other in self.summary.absent if other != seat])
                self.news = f"{self._seat(seat)} is back"
            case live.Finished(result=result, view=view):
                self._update(view=view, result=result)
                self.news = ""
                return [*self._position(), *self.ending()]
        return [self.news] if self.news else []

    def _update(self, **changes: object) -> None:
        self.summary = structs.replace(self.summary, **changes)

    def _seat(self, seat: int) -> str:
        return plain(self.summary.seats[seat].bot)

    def _rejection(self, move: live.RejectedMoveView) -> str:
        return plain(f"{self._seat(move.seat)}: {move.move} rejected, {move.reason}")

    def ending(self) -> list[str]:
        """Return the result, and the details of bots that lost by a fault; nothing while it goes on."""
        if self.result is None:
            return []
        bots = [seat.bot for seat in self.summary.seats]
        finishes = self.result.finishes
        points = outcome(self.result.scores) if finishes is UNSET else ranking(bots, self.result)
        text = f"{versus(bots, race=self._race)}: {points} {{{why(self.result)}}}"
        ends = () if finishes is UNSET else zip(bots, finishes, strict=True)
        details = [f"{plain(bot)}:{_detail(finish.detail)}" for bot, finish in ends if finish.detail]
        more = "" if self.result.rule_detail else _detail(self.result.detail)
        return [f"{plain(text)}{more}", *details]

    def screen(self) -> tuple[str, str, str]:
        """Return for a live display: the head line, the board with its clocks, the newest moves and other events."""
        summary = self.summary
        event = f"  {summary.event}" if summary.event else ""
        clocks = [
            f"{'>' if summary.view.to_move == number and not self.result else ' '} {seat.name:<10} {seat.bot:<24} "
            f"{_clock(summary, number)}{'  away' if number in summary.absent else ''}"
            for number, seat in enumerate(summary.seats)
        ]
        moves = [_line(line, self._seat(line.seat)) for line in self.lines[-MOVES_SHOWN:]]
        board = "\n".join([*([] if self._race else [*map(plain, clocks), ""]), *self._position()])
        return plain(f"{summary.title}  {summary.match}{event}"), board, "\n".join([*moves, self.news, *self.ending()])


def _clock(summary: live.Summary, seat: int) -> str:
    """Return a seat's time: `12.3 s`; in byo-yomi what is left of the period, with the periods or moves left."""
    ms = summary.view.clocks_ms[seat]
    time = summary.time if summary.times is UNSET else summary.times[seat]
    to_go = UNSET if summary.view.moves_to_go is UNSET else summary.view.moves_to_go[seat]
    if ms is None or time.byoyomi is UNSET:
        return seconds(ms)
    main, period, count = time.byoyomi.stage(ms, to_go or 0)
    if main:
        return f"{seconds(main)} + byo-yomi"
    unit = "move" if time.byoyomi.periods is UNSET else "period"
    return f"{seconds(period)}, {count} {unit}{'' if count == 1 else 's'} left"


def _line(line: live.PlyView, bot: str) -> str:
    """Return `12. alpha c3-c4 (0.05 s, depth 4, 1234 nodes, score 3)`; a ply of the opening has no time."""
    notes = ["opening" if line.ms is None else f"{line.ms / 1000:.2f} s"]
    if line.info is not None:
        for name, text in (("depth", "depth {}"), ("nodes", "{} nodes"), ("score", "score {:g}"), ("text", "{}")):
            value = getattr(line.info, name)
            if isinstance(value, int | float | str):
                notes.append(text.format(value))
    return plain(f"{line.ply:>3}. {bot} {line.move} ({', '.join(notes)})")


def _detail(detail: str) -> str:
    """Return a program's output before it failed, or the details of a fault: behind a line, or below it."""
    return f"\n{block(detail)}" if "\n" in detail.strip() else f" {plain(detail.strip())}".rstrip()


def _same(one: live.PlyView, other: live.PlyView) -> bool:
    """Return True if both are the same ply, played twice only if it was forgotten in between."""
    return (one.ply, one.seat, one.move) == (other.ply, other.seat, other.move)


def _ahead(race: Sequence[live.RaceStanding], result: Result | None = None) -> list[int]:
    """Return the entrants in order of rank; of equals, and of those without a solution, those still
    racing come first.
    """
    placed = _ranks(race, result)
    return sorted(range(len(race)), key=lambda entrant: (placed[entrant], race[entrant].end is not None, entrant))


def standings(summary: live.Summary, view: live.View, result: Result | None = None) -> str:
    """Return rank, bot, cost, plies, clock and how it ended, a line an entrant; at the end `result` ranks them."""
    race = view.race or []
    placed = _ranks(race, result)
    lines = [["#", "bot", "cost", "plies", "clock", ""]]
    for entrant in (order := _ahead(race, result))[:ENTRANTS_SHOWN]:
        standing = race[entrant]
        rank = "-" if standing.cost is None else str(placed[entrant])
        how = standing.end or ("away" if entrant in summary.absent else "")
        clock = seconds(view.clocks_ms[entrant])
        lines.append([rank, summary.seats[entrant].bot, paid(standing.cost), str(standing.plies), clock, how])
    more = [f"and {len(order) - ENTRANTS_SHOWN} more"] if len(order) > ENTRANTS_SHOWN else []
    return "\n".join([columns(lines, left={1, 5}), *more])


def _ranks(race: Sequence[live.RaceStanding], result: Result | None) -> list[int]:
    """Return the ranks; at the end by the scores, in which the faster one wins at equal costs."""
    if result is not None and result.termination == "rule" and result.finishes is not UNSET:
        return ranks([-score for score in result.scores])
    return ranks([standing.cost for standing in race])
