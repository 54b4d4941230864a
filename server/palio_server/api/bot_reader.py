"""What a bot's page asks for, put together from the store, the lobby and the newest records.

Counts come from sums and indexes; what needs records is read from the newest ones, off the event loop, and kept.
"""

import asyncio
from dataclasses import dataclass

import msgspec

from palio_db.profile_values import BotStanding, Build, OpponentScore, Profile
from palio_rules.errors import nearest
from palio_server.api.answers import ApiError
from palio_server.api.bot_items import (
    BotDetail,
    BotReport,
    GameOf,
    OpponentItem,
    OutcomeCount,
    ProfileItem,
    Profiles,
    RatingOf,
)
from palio_server.api.bot_sample import openings, times
from palio_server.api.games import title_of
from palio_server.lobby.visits import is_guest
from palio_server.parts import ServerParts

FORM = 20  # matches
SAMPLE = 50  # of the newest records: each costs a twentieth of a millisecond, and a page of the database
OPPONENTS = 100  # that are listed, those it has met most
FRESH_S = 30.0  # how long a report is shown
KEPT = 200  # reports


@dataclass(frozen=True, slots=True)
class _Kept:
    at: float
    report: BotReport


class BotReader:
    """Of one server's bots."""

    def __init__(self, parts: ServerParts) -> None:
        self._parts, self._store = parts, parts.store
        self._reports: dict[tuple[str, str], _Kept] = {}
        self._turn = asyncio.Lock()  # one report at a time is computed

    async def profiles(self, q: str, limit: int, offset: int) -> Profiles:
        """Bots with `q` in their names: first those who are here, then who was here last."""
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
        """All about one bot but its matches. Raises ApiError 404."""
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
        """How it plays one game; without matches if it has not."""
        async with self._turn:
            clock, known = asyncio.get_running_loop().time(), self._reports.get((name, game))
            if known is None or clock - known.at > FRESH_S:
                known = _Kept(clock, await self._report(name, game))
                self._reports.pop((name, game), None)
                self._reports[name, game] = known
                if len(self._reports) > KEPT:
                    del self._reports[next(iter(self._reports))]
            return known.report

    async def builds(self, name: str) -> list[Build]:
        """Which programs have played under the name, and since when, the newest last."""
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
        """The profiles, with what has been noted since they were written; an empty one for whoever has none."""
        stored, noted = await self._store.profiles(names), self._parts.visits.noted(names)
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
