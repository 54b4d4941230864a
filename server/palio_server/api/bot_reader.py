"""The data of a bot's page, from the store, the lobby and the newest records.

Counts come from sums and indexes; values that need records are computed from the newest ones, off the event loop, and
kept.
"""

import asyncio
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise

import msgspec

from palio_db.values import BotStanding, Build, OpponentScore, Profile
from palio_rules.errors import nearest
from palio_rules.records.record import Record
from palio_rules.registry import title_of
from palio_server.api.answers import ApiError
from palio_server.app_state import ServerParts
from palio_server.lobby.visits import is_guest

# A bot as `/api/bots/NAME` returns it, for its page.


class RatingOf(msgspec.Struct, frozen=True):
    """A bot's rating in one game; `error` is half the width of the 95 % interval."""

    game: str
    title: str
    rating: float
    error: float
    provisional: bool
    games: int


class ProfileItem(msgspec.Struct, frozen=True):
    """A bot in the list of all. `playing` counts its matches now."""

    name: str
    about: str
    connected: bool
    playing: int
    last_seen: datetime | None
    ratings: list[RatingOf]
    rested: bool = False


class Profiles(msgspec.Struct, frozen=True):
    """A page of bots, of `total` in all."""

    total: int
    bots: list[ProfileItem]


class OutcomeCount(msgspec.Struct, frozen=True):
    """`outcome`: won, drawn, lost, played (alone), adjudicated, or the bot's own fault."""

    outcome: str
    games: int


class GameOf(msgspec.Struct, frozen=True):
    """A bot's results in one game. `place` is null while it is provisional; with 95 % it is between `best` and `worst`,
    of `of` bots with a final rating. `outcomes`: how its rated matches ended for it. For a language model the last five
    are its costs: tokens read and written for a move, dollars a game, milliseconds until it has answered, dollars in
    all; null if unknown.
    """

    game: str
    title: str
    rating: float
    error: float
    provisional: bool
    games: int
    wins: int
    draws: int
    losses: int
    points: float
    mean_ms: float
    place: int | None
    best: int | None
    worst: int | None
    of: int
    outcomes: list[OutcomeCount]
    tokens_in: float | None = None
    tokens_out: float | None = None
    cost: float | None = None
    latency_ms: float | None = None
    cost_total: float | None = None


class BotDetail(msgspec.Struct, frozen=True):
    """A bot, here or not. `matches` are those it is playing, `games` those it offers to play now; `conflict` has the
    builds of programs that play under its name at the same time, and is usually empty. The ladder gives a `rested` bot
    no matches until it sends a message.
    """

    name: str
    about: str
    registered: bool
    guest: bool
    connected: bool
    games: list[str]
    instances: int
    slots: int
    rested: bool
    matches: list[str]
    first_seen: datetime | None
    last_seen: datetime | None
    builds: list[Build]
    conflict: list[str]
    ratings: list[GameOf]


class OpponentItem(msgspec.Struct, frozen=True):
    """The score of a bot against another one. `expected` is the share that their ratings predict."""

    bot: str
    rating: float | None
    provisional: bool
    wins: int
    draws: int
    losses: int
    share: float
    expected: float | None


class OpeningItem(msgspec.Struct, frozen=True):
    """The first plies of matches in which the bot had `seat`, and its share of the points in them."""

    seat: int
    name: str
    moves: list[str]
    games: int
    share: float


class TimeBin(msgspec.Struct, frozen=True):
    """Moves that took `least` milliseconds or more, and less than `most`."""

    least: int
    most: int
    moves: int


class TimesItem(msgspec.Struct, frozen=True):
    """The time that the bot uses for a move, in milliseconds."""

    moves: int
    median: float
    p99: float
    bins: list[TimeBin]


class BotReport(msgspec.Struct, frozen=True):
    """A bot in one game: `form` has the outcomes of its last matches, the newest last; `opponents` are those it has met
    most, the strongest first, of `met` in all. Openings and times are of its newest `sample` rated matches.
    """

    game: str
    bot: str
    form: list[str]
    met: int
    opponents: list[OpponentItem]
    sample: int
    openings: list[OpeningItem]
    times: TimesItem | None


class HistoryPoint(msgspec.Struct, frozen=True):
    at: datetime
    rating: float
    error: float
    provisional: bool


class BotHistory(msgspec.Struct, frozen=True):
    """The history of a bot's rating, and when another program began to play under its name."""

    game: str
    bot: str
    points: list[HistoryPoint]
    builds: list[Build]


# Statistics of a bot's newest records: its openings, and its time for a move. Pure.

OPENINGS = 8  # of each seat, the most frequent ones
STEPS = (1, 2, 5)  # widths of the bins, times a power of ten


def openings(bot: str, records: Iterable[Record]) -> list[OpeningItem]:
    """Return the first ply of each seat, at least two, by the bot's seat; none of a race. The most
    frequent ones first.
    """
    found: dict[tuple[int, tuple[str, ...]], list[float]] = defaultdict(list)
    names: Sequence[str] = ()
    for record in records:
        rules = record.setup.rules()
        if rules.kind == "race" or len(rules.seats) < 2:
            return []
        names = rules.seats
        seat = record.setup.bots.index(bot)
        try:
            moves = first_moves(record, len(names))
        except ValueError:  # its rules have changed since
            continue
        if len(moves) == len(names):
            found[seat, moves].append(share(record.result.scores, seat))
    items = [
        OpeningItem(seat, names[seat], list(moves), len(shares), sum(shares) / len(shares))
        for (seat, moves), shares in found.items()
    ]
    items.sort(key=lambda item: (item.seat, -item.games, item.moves))
    kept: list[OpeningItem] = []
    for item in items:
        if sum(other.seat == item.seat for other in kept) < OPENINGS:
            kept.append(item)
    return kept


def first_moves(record: Record, most: int) -> tuple[str, ...]:
    """Return the first moves of a match in its notation, the agreed opening included; fewer if it was shorter."""
    rules, state = record.setup.rules(), record.setup.first()
    values = [*record.setup.opening, *(ply.move for ply in record.plies[:most] if ply.move is not None)]
    moves = []
    for value in values[:most]:
        move = rules.read_move(state, value)
        moves.append(rules.notation(state, move))
        state = state.play(move)
    return tuple(moves)


def share(scores: Sequence[float], seat: int) -> float:
    """Return the share of the others that the seat has left behind; level ones count half."""
    others = [score for place, score in enumerate(scores) if place != seat]
    own = scores[seat]
    return sum((own > other) + (own == other) / 2 for other in others) / len(others)


def times(bot: str, records: Iterable[Record]) -> TimesItem | None:
    """Return the times of its moves; None if it has made none."""
    spent = sorted(
        ply.ms
        for record in records
        for ply in record.plies
        if ply.seat == record.setup.bots.index(bot) and ply.move is not None
    )
    if not spent:
        return None
    return TimesItem(len(spent), quantile(spent, 0.5), quantile(spent, 0.99), bins(spent))


def quantile(ordered: Sequence[int], part: float) -> float:
    """Return the least value that `part` of all are no greater than."""
    return float(ordered[max(0, -int(-len(ordered) * part // 1) - 1)])


def bins(ordered: Sequence[int]) -> list[TimeBin]:
    """Return bins of growing width from the least value to the greatest one: 0 to 1 ms, 1 to 2, 2 to 5, 5 to 10, ..."""
    edges = [0, *(step * 10**power for power in range(8) for step in STEPS)]
    counted = [TimeBin(least, most, sum(least <= ms < most for ms in ordered)) for least, most in pairwise(edges)]
    taken = [place for place, each in enumerate(counted) if each.moves]
    return counted[taken[0] : taken[-1] + 1] if taken else []


FORM = 20  # matches
SAMPLE = 50  # of the newest records: each costs a twentieth of a millisecond, and a page of the database
OPPONENTS = 100  # that are listed, those it has met most
FRESH_S = 30.0  # seconds for which a report is shown
KEPT = 200  # reports


@dataclass(frozen=True, slots=True)
class _KeptReport:
    at: float
    report: BotReport


class BotReader:
    """The reader for one server's bots."""

    def __init__(self, parts: ServerParts) -> None:
        self._parts, self._store = parts, parts.store
        self._reports: dict[tuple[str, str], _KeptReport] = {}
        self._turn = asyncio.Lock()  # one report at a time is computed

    async def profiles(self, q: str, limit: int, offset: int) -> Profiles:
        """Return bots with `q` in their names: first those who are here, then those who were here last."""
        here = {bot.name: bot for bot in self._parts.lobby.connected()}
        names = [name for name in here if q.lower() in name.lower()]
        names += [name for name in await self._store.bot_names(q) if name not in here]
        names = [name for name in names if not is_guest(name)]
        page = names[offset : offset + limit]
        profiles, ratings = await self._profiles(page), await self._store.ratings_of(page)
        items = [
            ProfileItem(
                name,
                profiles[name].about,
                name in here,
                here[name].playing if name in here else 0,
                profiles[name].last_seen,
                [
                    RatingOf(each.game, title_of(each.game), each.rating, each.error, each.provisional, each.games)
                    for each in ratings.get(name, [])
                ],
                name in here and here[name].rested,
            )
            for name in page
        ]
        return Profiles(len(names), items)

    async def bot(self, name: str) -> BotDetail:
        """Return all about one bot but its matches. Raises ApiError 404."""
        lobby, standings = self._parts.lobby, await self._store.standings(name)
        registered = await self._store.is_registered(name)
        profile = (await self._profiles([name]))[name]
        here = next((bot for bot in lobby.connected() if bot.name == name), None)
        if not (here or standings or registered or profile.last_seen or await self._store.has_played(name)):
            known = {*await self._store.bot_names(), *(bot.name for bot in lobby.connected())}
            raise ApiError(404, "unknown-bot", f"there is no bot called {name[:40]!r}; {nearest(name, known)}")
        builds = lobby.builds(name)
        outcomes = await self._store.outcomes(name)
        return BotDetail(
            name=name,
            about=profile.about,
            registered=registered,
            guest=is_guest(name),
            connected=here is not None,
            games=[] if here is None else list(here.games),
            instances=0 if here is None else here.instances,
            slots=0 if here is None else here.slots,
            rested=here is not None and here.rested,
            matches=lobby.matches(name),
            first_seen=profile.first_seen,
            last_seen=profile.last_seen,
            builds=list(profile.builds),
            conflict=builds if len(builds) > 1 else [],
            ratings=[_game(each, outcomes.get(each.game, {})) for each in standings],
        )

    async def report(self, name: str, game: str) -> BotReport:
        """Return its report for one game; without matches if it has played none."""
        async with self._turn:
            clock, known = asyncio.get_running_loop().time(), self._reports.get((name, game))
            if known is None or clock - known.at > FRESH_S:
                known = _KeptReport(clock, await self._report(name, game))
                self._reports.pop((name, game), None)
                self._reports[name, game] = known
                if len(self._reports) > KEPT:
                    del self._reports[next(iter(self._reports))]
            return known.report

    async def builds(self, name: str) -> list[Build]:
        """Return the programs that have played under the name, and since when, the newest last."""
        return list((await self._profiles([name]))[name].builds)

    async def _report(self, name: str, game: str) -> BotReport:
        met = await self._store.opponents(name, game)
        own = next((each for each in await self._store.standings(name) if each.game == game), None)
        most = sorted(met, key=lambda each: -(each.wins + each.draws + each.losses))[:OPPONENTS]
        named = {each.bot for each in most}
        records = await self._store.newest_records(name, game, SAMPLE)
        opened, spent = await asyncio.to_thread(lambda: (openings(name, records), times(name, records)))
        return BotReport(
            game=game,
            bot=name,
            form=await self._store.form(name, game, FORM),
            met=len(met),
            opponents=[_opponent(each, own) for each in met if each.bot in named],
            sample=len(records),
            openings=opened,
            times=spent,
        )

    async def _profiles(self, names: list[str]) -> dict[str, Profile]:
        """Return the profiles, with visits not yet written; an empty one for a bot without a profile."""
        stored, noted = await self._store.profiles(names), self._parts.visits.unwritten(names)
        found = {}
        for name in names:
            profile = stored.get(name, Profile())
            if seen := noted.get(name):
                others = tuple(each for each in profile.builds if each.build not in seen.builds)
                fresh = profile.builds
                if [each.build for each in profile.builds[-len(seen.builds) :]] != [*seen.builds] and seen.builds:
                    fresh = (*others, *(Build(build, seen.last) for build in seen.builds))
                may_tell = seen.about is not None and (seen.proven or not await self._store.is_registered(name))
                profile = Profile(
                    (seen.about or "") if may_tell else profile.about,
                    fresh,
                    profile.first_seen or seen.first,
                    seen.last,
                )
            found[name] = profile
        return found


def _game(standing: BotStanding, outcomes: dict[str, int]) -> GameOf:
    counts = [OutcomeCount(outcome, games) for outcome, games in sorted(outcomes.items(), key=lambda each: -each[1])]
    stored = msgspec.to_builtins(standing)
    return msgspec.convert({**stored, "title": title_of(standing.game), "outcomes": counts}, GameOf)


def _opponent(score: OpponentScore, own: BotStanding | None) -> OpponentItem:
    games = score.wins + score.draws + score.losses
    expected = None
    if own is not None and score.rating is not None:
        expected = 1 / (1 + 10 ** ((score.rating - own.rating) / 400))
    return OpponentItem(
        score.bot,
        score.rating,
        score.provisional,
        score.wins,
        score.draws,
        score.losses,
        (score.wins + score.draws / 2) / games if games else 0.0,
        expected,
    )
