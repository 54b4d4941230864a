"""The report of an event: standings, cross-table, ratings, the advantage of the first move."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from palio_db.values import PairScore, Rating
from palio_rules.time_control import TimeControl
from palio_server.ratings.bradley_terry import FirstMove, first_move, rate
from palio_server.ratings.elo import Score
from palio_server.tournament.crosstable import Crosstable, crosstable_of, pair_scores
from palio_server.tournament.event import Event
from palio_server.tournament.event_faults import EventFault, FaultLine, fault_lines
from palio_server.tournament.format import Format
from palio_server.tournament.pair_figures import pair_figures
from palio_server.tournament.standing import PairFigures, Standing, with_reasons


@dataclass(frozen=True)
class EventReport:
    """The report of an event in its present state. `anchors`: bots with fixed ratings. `faults`: all that are known."""

    event: Event
    format: Format
    anchors: Mapping[str, float] = field(default_factory=dict)
    faults: Sequence[EventFault] = ()
    odds: Mapping[str, TimeControl] = field(default_factory=dict)  # bots with a time of their own

    @cached_property
    def table(self) -> Crosstable:
        return crosstable_of(self.event)

    @cached_property
    def standings(self) -> list[Standing]:
        return with_reasons(self.format.standings(self.event), self.event.broken)

    @cached_property
    def fault_lines(self) -> list[FaultLine]:
        """The faults by bot and reason, in the order of the standings."""
        return fault_lines(self.faults, [line.bot for line in self.standings])

    @cached_property
    def pair_figures(self) -> list[PairFigures]:
        return pair_figures(self.event)

    @property
    def tie_breaks(self) -> list[str]:
        """The names of the values in `Standing.tie_breaks`, in order."""
        return list(self.format.tie_breaks(self.event))

    @cached_property
    def ratings(self) -> dict[str, Rating]:
        """The ratings on one scale, by all results: a game lost by absence counts here, but not on the leaderboard."""
        known = {bot: rating for bot, rating in self.anchors.items() if self.table.total(bot).games}
        return rate(pair_scores(self.table), anchors=known)

    @cached_property
    def first_move(self) -> FirstMove | None:
        """The advantage of the first seat of a duel; None for other games, or if it cannot be determined."""
        return first_move_of(self.event)


def first_move_of(event: Event) -> FirstMove | None:
    """Return the advantage of the first seat of a duel, by the games that were fought; None if it
    cannot be determined.
    """
    if event.race or event.seats != 2:
        return None
    return first_move([PairScore(*pair, s.wins, s.draws, s.losses) for pair, s in seated_scores(event).items()])


def seated_scores(event: Event) -> dict[tuple[str, str], Score]:
    """Return the score of the first of each two from the first seat, in games that were fought."""
    seated: dict[tuple[str, str], Score] = {}
    for encounter in event.encounters:
        for match in encounter.finished:
            if match.fought and match.scores:
                first, second = match.bots
                seated[first, second] = seated.get((first, second), Score()).add(match.scores[0])
    return seated
