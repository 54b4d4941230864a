"""Events for the page's tests, as `palio_server.api.event_items` has them: results by chance, sums by the rules."""

import random
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from page_server import Stage

from palio_server.api.event_items import (
    CostItem,
    EncounterItem,
    EncounterMatch,
    EntryItem,
    FaultItem,
    FormatItem,
    RoundCell,
    RoundItem,
    ScoreItem,
    StandingItem,
    TournamentDetail,
    Why,
)
from palio_server.tournament.standing import Bracket, BracketMatch, BracketRound, Group, LlrPoint, SprtState, Standing

CONTRADE = [
    *("civetta", "aquila", "tartuca", "lupa", "torre", "oca", "nicchio", "chiocciola"),
    *("onda", "selva", "pantera", "leocorno", "drago", "giraffa", "istrice", "bruco"),
]
SINCE = datetime(2026, 5, 12, 14, 10, tzinfo=UTC)
TITLES = {"swiss": "Swiss", "knockout": "Knockout", "sprt": "SPRT", "round_robin": "Round robin", "groups": "Groups"}


def item(number: int, name: str, format_: str, bots: Sequence[str], **values: Any) -> dict[str, Any]:
    """The fields that a list has of an event."""
    return {
        "id": number,
        "name": name,
        "game": "breakthrough",
        "format": format_,
        "title": TITLES[format_],
        "stage": "running",
        "bots": list(bots),
        "created_at": SINCE,
        "starts_at": None,
        "total": 56,
        "scheduled": 16,
        "running": 7,
        "finished": 33,
        "aborted": 0,
        "round": 1,
        "rounds": None,
        "leader": bots[0] if bots else None,
        "verdict": None,
    } | values


def detail(number: int, name: str, format_: str, bots: Sequence[str], **values: Any) -> TournamentDetail:
    rest = {
        "settings": {"time": {"base_ms": 120_000, "increment_ms": 1000}},
        "rules": {"games_per_encounter": 1, "scoring": "games"},
        "entries": [
            EntryItem(bot, place, 1900.0 - 20 * place, 1, None, [], place % 3 > 0) for place, bot in enumerate(bots, 1)
        ],
        "tie_breaks": [],
        "standings": [],
        "bracket": None,
        "groups": [],
        "sprt": None,
        "games_per_s": 0.4,
        "seconds_left": 780.0,
        "first_move_advantage": None,
        "admits": "listed",
        "worker": "palio",
        "finished_at": None,
        "note": "",
    }
    return TournamentDetail(**(item(number, name, format_, bots) | rest | values))


# --- Swiss ---------------------------------------------------------------------------------------------------------


class Swiss:
    """Seven rounds of a Swiss system, the fifth in play. Pairs are neighbours by points: enough for a picture."""

    def __init__(self, bots: Sequence[str] = CONTRADE, over: int = 4, seed: int = 7) -> None:
        self.bots, self.over = list(bots), over
        self.chance = random.Random(seed)
        self.made: dict[str, dict[int, float | None]] = {bot: {} for bot in bots}
        self.met: dict[str, dict[int, str]] = {bot: {} for bot in bots}
        self.colour: dict[str, dict[int, str]] = {bot: {} for bot in bots}
        for round_ in range(1, over + 2):
            self._pair(round_)

    def points(self, bot: str, before: int = 99) -> float:
        return sum(points or 0 for round_, points in self.made[bot].items() if round_ < before)

    def _pair(self, round_: int) -> None:
        free = sorted(self.bots, key=lambda bot: (-self.points(bot), self.bots.index(bot)))
        while free:
            first = free.pop(0)
            second = next((bot for bot in free if bot not in self.met[first].values()), free[0])
            free.remove(second)
            score = self.chance.choices([1.0, 0.5, 0.0], [6, 1, 4])[0]
            for bot, other, colour, points in ((first, second, "white", score), (second, first, "black", 1 - score)):
                self.met[bot][round_], self.colour[bot][round_] = other, colour
                self.made[bot][round_] = points if round_ <= self.over else None

    def standings(self) -> list[StandingItem]:
        met = {bot: [other for round_, other in self.met[bot].items() if round_ <= self.over] for bot in self.bots}
        buchholz = {bot: sum(map(self.points, others)) for bot, others in met.items()}
        cut = {bot: buchholz[bot] - min(map(self.points, others)) for bot, others in met.items()}
        order = sorted(self.bots, key=lambda bot: (-self.points(bot), -cut[bot], -buchholz[bot]))
        return [self._line(place, bot, [cut[bot], buchholz[bot]]) for place, bot in enumerate(order, 1)]

    def _line(self, rank: int, bot: str, tie_breaks: list[float]) -> StandingItem:
        rounds = [
            RoundCell(round_, "played" if points is not None else "", points, [other], self.colour[bot][round_])
            for (round_, points), other in zip(self.made[bot].items(), self.met[bot].values(), strict=True)
        ]
        results = [cell.points for cell in rounds if cell.points is not None]
        against = {
            cell.opponents[0]: ScoreItem(int(cell.points == 1), int(cell.points == 0.5), int(cell.points == 0))
            for cell in rounds
            if cell.points is not None
        }
        return StandingItem(
            rank=rank,
            bot=bot,
            points=sum(results),
            played=len(results),
            wins=results.count(1.0),
            draws=results.count(0.5),
            losses=results.count(0.0),
            tie_breaks=tie_breaks,
            left=bot == "bruco",
            note="",
            rating=1990.0 - 27 * rank,
            error=38.0 + rank % 5,
            performance=2010.0 - 31 * rank,
            rounds=rounds,
            against=against,
            costs=None,
        )

    def round(self, number: int) -> RoundItem:
        done: set[str] = set()
        found: list[EncounterItem] = []
        for bot in sorted(self.bots, key=lambda bot: -self.points(bot, number)):
            if bot not in done:
                other = self.met[bot][number]
                done |= {bot, other}
                found.append(self._encounter(number, len(found) + 1, bot, other))
        bye = encounter(90, number, len(found) + 1, ["emmy"], kind="pairing-bye", over=True, points=[1.0])
        return RoundItem(number, 7, number <= self.over, [*found, bye])

    def _encounter(self, round_: int, board: int, first: str, second: str) -> EncounterItem:
        scores = [self.made[bot][round_] for bot in (first, second)]
        over = scores[0] is not None
        number = 8 * (round_ - 1) + board
        status = "finished" if over else "running"
        match = EncounterMatch(f"e{number}", [first, second], status, scores if over else None)
        return encounter(
            number,
            round_,
            board,
            [first, second],
            over=over,
            points=[points or 0.0 for points in scores],
            before=[self.points(bot, round_) for bot in (first, second)],
            matches=[match],
        )

    def detail(self, number: int = 7, **values: Any) -> TournamentDetail:
        lines = self.standings()
        known = {
            "round": self.over + 1,
            "rounds": 7,
            "leader": lines[0].bot,
            "tie_breaks": ["buchholz_cut_1", "buchholz"],
            "standings": lines,
            "first_move_advantage": 12.4,
        }
        return detail(number, "Siena Cup 2026", "swiss", self.bots, **(known | values))


def encounter(number: int, round_: int, board: int, bots: list[str], **values: Any) -> EncounterItem:
    usual = {
        "kind": "played",
        "part": "",
        "games": 1,
        "over": False,
        "points": [0.0] * len(bots),
        "before": [0.0] * len(bots),
        "forfeits": [],
        "matches": [],
    }
    return EncounterItem(number=number, round=round_, board=board, bots=bots, **(usual | values))


# --- the other formats ---------------------------------------------------------------------------------------------


def bracket() -> Bracket:
    """Eight bots: the first semi-final is over, the second in play, one quarter-final was a bye."""
    civetta, tartuca, torre, nicchio, oca, istrice, drago = (
        CONTRADE[place] for place in (0, 2, 4, 6, 5, 14, 12)
    )  # fmt: skip

    def won(
        name: str, bots: list[str | None], seeds: list[int | None], scores: list[float], **more: Any
    ) -> BracketMatch:
        return BracketMatch(name, bots, seeds, scores, more.pop("sources", ["", ""]), **more)

    quarters = [
        won("quarter-final 1", [civetta, tartuca], [1, 8], [2, 1], winner=civetta, encounters=[1]),
        won(
            "quarter-final 2", [torre, nicchio], [5, 4], [1, 2], winner=nicchio, decided="faster clocks", encounters=[2]
        ),
        won("quarter-final 3", [oca, istrice], [3, 6], [2, 0], winner=oca, encounters=[3]),
        won("quarter-final 4", [drago, None], [2, None], [0, 0], winner=drago, decided="bye"),
    ]
    semis = [
        won(
            "semi-final 1", [civetta, nicchio], [1, 4], [2, 1],
            sources=["quarter-final 1", "quarter-final 2"], winner=civetta, encounters=[4],
        ),
        won(
            "semi-final 2", [oca, drago], [3, 2], [1, 1],
            sources=["quarter-final 3", "quarter-final 4"], encounters=[5],
        ),
    ]  # fmt: skip
    both = ["semi-final 1", "semi-final 2"]
    final = won("final", [civetta, None], [1, None], [0, 0], sources=both)
    third = won("third place", [nicchio, None], [4, None], [0, 0], sources=both, losers=True)
    rounds = [("quarter-finals", quarters), ("semi-finals", semis), ("final", [final])]
    return Bracket([BracketRound(title, number, found) for number, (title, found) in enumerate(rounds, 1)], third)


def knockout(**values: Any) -> TournamentDetail:
    return detail(
        8, "Coppa della Balzana", "knockout", CONTRADE[:7], bracket=bracket(), round=2, rounds=3, **values
    )  # fmt: skip


def sprt(state: str = "continue") -> TournamentDetail:
    chance = random.Random(5)
    llr, points = 0.0, []
    for games in range(20, 4992, 40):
        llr = max(-2.5, min(2.7, llr + chance.uniform(-0.32, 0.37)))
        points.append(LlrPoint(games, round(llr, 3)))
    test = SprtState(
        first="civetta-2.1",
        second="civetta-2.0",
        model="logistic",
        elo0=0.0,
        elo1=6.0,
        alpha=0.05,
        beta=0.05,
        llr=2.40 if state == "continue" else 2.95,
        lower=-2.944,
        upper=2.944,
        state=state,
        wins=2051,
        draws=1000,
        losses=1941,
        pairs=[162, 494, 1082, 588, 170],
        elo=7.7,
        elo_error=6.7,
        los=0.988,
        points=points,
    )
    faults = [FaultItem("civetta-2.0", "time", 3)]
    rest = {"round": 2497, "total": 4992, "finished": 4992, "games_per_s": 3.1}
    return detail(
        9, "Is civetta 2.1 stronger than 2.0?", "sprt", [test.first, test.second], sprt=test, faults=faults, **rest
    )


def groups() -> TournamentDetail:
    def group(name: str, bots: Sequence[str]) -> Group:
        lines = [Standing(place, bot, 4.0 - place, 3, 4 - place, 0, place - 1) for place, bot in enumerate(bots, 1)]
        return Group(name, list(bots), lines, 2)

    found = [group(name, CONTRADE[4 * place : 4 * place + 4]) for place, name in enumerate("ABCD")]
    return detail(10, "Palio of groups", "groups", CONTRADE, groups=found, standings=Swiss().standings(), round=3)


def league() -> TournamentDetail:
    """Races: what counts is what was paid."""
    bots = ["nn", "or-opt", "christofides"]
    lines = [
        StandingItem(
            rank=place, bot=bot, points=4.0 - place, played=4, wins=0, draws=0, losses=0, tie_breaks=[], left=False,
            note="", rating=None, error=None, performance=None, rounds=[], against={},
            costs=CostItem(4, 5 - place, 7000.0 + 100 * place, 0.01 * place),
        )
        for place, bot in enumerate(bots, 1)
    ]  # fmt: skip
    return detail(11, "Salesmen", "round_robin", bots, game="tsp", standings=lines, round=4, rounds=4)


def formats() -> list[FormatItem]:
    every = {"games_per_encounter": None, "scoring": "games", "tie_breaks": [], "rounds": None}
    return [
        FormatItem("knockout", "Knockout", {**every, "best_of": 1, "third_place": False}),
        FormatItem("round_robin", "Round robin", every),
        FormatItem("swiss", "Swiss", {**every, "rounds": 7}),
    ]


WHY = [
    "civetta leads alone on 4.",
    "Every bot on 3 has already met it, so it floats down to the group on 2.",
    "Both were white last; the higher placed gets its due.",
]


def add_events(stage: Stage) -> Swiss:
    """One event of each kind, and what belongs to them."""
    swiss = Swiss()
    events = [swiss.detail(), knockout(), sprt(), groups(), league()]
    over = item(3, "Winter cup", "round_robin", CONTRADE[:6], stage="finished", total=30, finished=30)
    names = TournamentDetail.__mro__[1].__struct_fields__  # those of a TournamentItem
    listed = [{name: getattr(event, name) for name in names} for event in events]
    stage.answers |= {f"tournaments/{event.id}": event for event in events}
    stage.answers |= {f"tournaments/7/rounds/{number}": swiss.round(number) for number in range(1, 6)}
    stage.answers |= {f"tournaments/7/why/{number}": Why(number, WHY) for number in range(33, 41)}
    stage.answers |= {"tournaments": [*listed, over], "formats": formats()}
    return swiss
