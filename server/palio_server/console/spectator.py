"""What one viewer knows of one match: a snapshot, kept up to date by deltas, told as lines or drawn as a board."""

from msgspec import structs

from palio_rules import live
from palio_rules.messages import Result
from palio_rules.plain_text import plain
from palio_server.console.terminal import seconds
from palio_server.tournament.score_lines import outcome, why

MOVES_SHOWN = 10  # the newest ones, beside the board


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
        """Take in a message; the lines that tell it. A message about another match tells nothing."""
        match message:
            case live.MatchSnapshot():
                self._take(message)
                return self.introduction()
            case live.Delta() if message.match != self.summary.match or message.seq <= self.seq:
                return []
            case live.Delta():
                self.seq = message.seq
                return self._note(message)
        return []

    def introduction(self) -> list[str]:
        """Who plays what, and the board as it stands."""
        summary = self.summary
        seats = " vs ".join(f"{seat.bot} ({seat.name})" for seat in summary.seats)
        event = f", {summary.event}" if summary.event else ""
        lines = [plain(f"{summary.match}: {summary.title}, {seats}, {summary.time}{event}")]
        lines += [_line(line, self._seat(line.seat)) for line in self.lines]
        return [*lines, plain(summary.view.text, lines=True), *self._ending()]

    def _take(self, snapshot: live.MatchSnapshot) -> None:
        self.seq, self.summary = snapshot.seq, snapshot.summary
        self.lines, self.refusals = list(snapshot.lines), list(snapshot.refusals)
        self.news = ""  # the last thing that happened besides moves

    def _note(self, delta: live.Delta) -> list[str]:
        match delta:
            case live.Started(summary=summary):
                self.summary = summary
                self.news = "the clocks run"
            case live.Played(line=line, view=view):
                self.lines.append(line)
                self._update(view=view)
                self.news = ""
                return [_line(line, self._seat(line.seat))]
            case live.Refused(refusal=refusal):
                self.refusals.append(refusal)
                self.news = plain(f"{self._seat(refusal.seat)}: {refusal.move} refused, {refusal.reason}")
            case live.Absent(seat=seat, grace_ms=grace):
                self._update(absent=[*self.summary.absent, seat])
                self.news = f"{self._seat(seat)} has lost its connection and has {seconds(grace)} to return"
            case live.Back(seat=seat):
                self._update(absent=[other for other in self.summary.absent if other != seat])
                self.news = f"{self._seat(seat)} is back"
            case live.Finished(result=result, view=view):
                self._update(view=view, result=result)
                self.news = ""
                return [plain(view.text, lines=True), *self._ending()]
        return [self.news] if self.news else []

    def _update(self, **changes: object) -> None:
        self.summary = structs.replace(self.summary, **changes)

    def _seat(self, seat: int) -> str:
        return self.summary.seats[seat].bot

    def _ending(self) -> list[str]:
        if self.result is None:
            return []
        names = " vs ".join(seat.bot for seat in self.summary.seats)
        text = f"{names}: {outcome(self.result.scores)} {{{why(self.result)}}}"
        return [plain(f"{text} {self.result.detail}".rstrip(), lines=True)]

    def screen(self) -> tuple[str, str, str]:
        """For a live display: the head line, the board with its clocks, the newest moves and what else happened."""
        summary = self.summary
        event = f"  {summary.event}" if summary.event else ""
        clocks = [
            f"{'>' if summary.view.to_move == number and not self.result else ' '} {seat.name:<10} {seat.bot:<24} "
            f"{seconds(summary.view.clocks_ms[number])}{'  away' if number in summary.absent else ''}"
            for number, seat in enumerate(summary.seats)
        ]
        moves = [_line(line, self._seat(line.seat)) for line in self.lines[-MOVES_SHOWN:]]
        board = "\n".join([*clocks, "", plain(summary.view.text, lines=True)])
        return plain(f"{summary.title}  {summary.match}{event}"), board, "\n".join([*moves, self.news, *self._ending()])


def _line(line: live.PlyView, bot: str) -> str:
    """`12. alpha c3-c4 (0.05 s, depth 4, 1234 nodes, score 3)`; a ply of the opening has no time."""
    notes = ["opening" if line.ms is None else f"{line.ms / 1000:.2f} s"]
    if line.info is not None:
        for name, text in (("depth", "depth {}"), ("nodes", "{} nodes"), ("score", "score {:g}"), ("text", "{}")):
            value = getattr(line.info, name)
            if isinstance(value, int | float | str):
                notes.append(text.format(value))
    return plain(f"{line.ply:>3}. {bot} {line.move} ({', '.join(notes)})")
