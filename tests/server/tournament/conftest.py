"""Whole events played in memory, with all kinds of failures, and an Event built again at every step."""

from dataclasses import dataclass, field, replace
from random import Random

import pytest

from palio_db.event_values import EncounterRow, Entry, EventMatch
from palio_server.tournament.event import Event
from palio_server.tournament.format import Format
from palio_server.tournament.round_robin import orders


@dataclass
class Director:
    """Keeps rows as the store does, and an `Event` never longer than for one question, as if killed after each."""

    format: Format
    game: str
    entries: list[Entry]
    random: Random = field(default_factory=lambda: Random(0))
    faults: bool = False  # games aborted, encounters given up, bots that leave
    stronger: bool = False  # the lower number wins every game
    rows: list[EncounterRow] = field(default_factory=list)
    matches: dict[str, EventMatch] = field(default_factory=dict)

    def event(self) -> Event:
        """From the rows; results come in any order."""
        event = Event(self.game, self.random.sample(self.entries, len(self.entries)))
        for row in self.rows:
            event.add(row)
        for match in self.random.sample(list(self.matches.values()), len(self.matches)):
            event.note(match)
        return event

    def plan(self) -> int:
        """Plans what the format asks for; how much that was."""
        plans = self.format.next(self.event(), 1000)
        assert plans == self.format.next(self.event(), 1000)
        places = [(row.plan.round, row.plan.board, row.plan.part) for row in self.rows]
        for plan in plans:
            place = (plan.round, plan.board, plan.part)
            assert plan.kind != "played" or all(other == place or other[:2] != place[:2] for other in places), (
                "two parts of an event have one board"
            )
            self.rows.append(EncounterRow(len(self.rows) + 1, plan))
            if plan.kind == "played":
                self._schedule(len(self.rows))
        assert self.format.next(self.event(), 1000) == [], "each encounter is planned once"
        return len(plans)

    def _schedule(self, number):
        plan = self.rows[number - 1].plan
        assert all(entry.left is None for entry in self.entries if entry.bot in plan.bots), "nobody waits for who left"
        for game, lineup in enumerate(orders(plan.bots)[: plan.games]):
            match = EventMatch(f"m{number}.{game}", number, game, lineup, "scheduled")
            self.matches[match.match] = match

    def play(self, name: str, scores, ms=(), *, fought=True) -> None:
        match = self.matches[name]
        self.matches[name] = replace(match, status="finished", scores=tuple(scores), ms=tuple(ms), fought=fought)

    def play_randomly(self, name: str) -> None:
        bots = self.matches[name].bots
        if self.stronger:
            best = min(bots, key=lambda bot: next(entry.number for entry in self.entries if entry.bot == bot))
            scores = [float(bot == best) for bot in bots]
        else:
            winner = self.random.choice([*range(len(bots)), None, None])
            scores = [1 / len(bots) if winner is None else float(seat == winner) for seat in range(len(bots))]
        self.play(name, scores, [self.random.choice([10, 10, 20]) for _ in bots])

    def give_up(self, number: int, bot: str) -> None:
        row = self.rows[number - 1]
        self.rows[number - 1] = replace(row, forfeits=row.forfeits | {bot})
        for name in [name for name, match in self.matches.items() if match.encounter == number]:
            if self.matches[name].status == "scheduled":
                del self.matches[name]

    def withdraw(self, bot: str) -> None:
        event = self.event()
        gone = event.last_round + 1
        self.entries = [replace(each, left=each.left or gone) if each.bot == bot else each for each in self.entries]
        for encounter in event.open:
            if bot in encounter.bots:
                self.give_up(encounter.number, bot)

    def step(self) -> None:
        """Something happens: mostly a game ends."""
        open_ = self.event().open
        encounter = self.random.choice(list(open_))
        waiting = [match.match for match in encounter.matches if match.status == "scheduled"]
        chance = self.random.random() if self.faults else 1.0
        if chance < 0.05:
            self.withdraw(self.random.choice([entry.bot for entry in self.entries]))
        elif chance < 0.15:
            self.give_up(encounter.number, self.random.choice(encounter.bots))
        elif chance < 0.25:
            name = self.random.choice(waiting)
            self.matches[name] = replace(self.matches[name], status="aborted")
        else:
            self.play_randomly(self.random.choice(waiting))

    def play_out(self) -> Event:
        """To the end; it fails if nothing is left to do before that. What has been decided stays decided."""
        decided: dict[str, str] = {}
        while not self.format.over(self.event()):
            planned = self.plan()
            self._remember(decided)
            event = self.event()
            if not event.open:
                assert planned or self.format.over(event), "an event is stuck"
                continue
            self.step()
        self._remember(decided)
        return self.event()

    def _remember(self, decided: dict[str, str]) -> None:
        bracket = self.format.details(self.event()).bracket
        ties = [] if bracket is None else [tie for round_ in bracket.rounds for tie in round_.matches]
        for tie in [*ties, *([bracket.third_place] if bracket and bracket.third_place else [])]:
            if tie.winner is not None and tie.id not in decided and self._recorded(tie):
                decided[tie.id] = tie.winner
            assert decided.get(tie.id, tie.winner) == tie.winner, f"{tie.id} was decided otherwise"

    def _recorded(self, tie) -> bool:
        """Return True if that is in the rows, and not just what would be planned now."""
        return tie.decided not in ("walkover", "bye") or any(
            row.plan.part == tie.id and row.plan.kind != "played" for row in self.rows
        )


@pytest.fixture(scope="session")
def director():
    """Makes a director of an event: of so many bots "b1", "b2", ..., rated from the best to the last."""

    def make(format_: Format, count: int, game: str = "breakthrough", **more) -> Director:
        entries = [Entry(f"b{number}", number, 3000.0 - number) for number in range(1, count + 1)]
        seed = more.pop("seed", 0)
        return Director(format_, game, entries, Random(seed), **more)

    return make
