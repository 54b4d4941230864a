"""The request to start a match, read and checked against the rules and the connected bots."""

import secrets
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, ClassVar

import msgspec
from msgspec import Meta

from palio_rules.contract.messages import MAX_ENTRANTS, MAX_INT
from palio_rules.errors import quoted
from palio_rules.game import Game
from palio_rules.instances.effort import TooMuchWork, check_progress
from palio_rules.records.record import Setup
from palio_rules.registry import games
from palio_rules.time_control import TimeControl
from palio_server.api import event_requests
from palio_server.api.answers import ApiError
from palio_server.api.bodies import Body
from palio_server.api.games import known_game
from palio_server.lobby.lobby import Lobby
from palio_server.match.seats import check_setup
from palio_server.tournament.openings import openings
from palio_server.tournament.round_robin import heat, orders, terms


class StartRequest(Body, frozen=True, kw_only=True):
    """A match between connected bots.

    `tc` is base+increment ("10+0.1", "5:00"), `st` seconds a move, both may hold; or `time` has it in milliseconds.
    """

    WRITE: ClassVar = {
        **event_requests.WRITE,
        "opening_plies": '"opening_plies": 2',
        "rounds": '"rounds": 10',
        "event": '"event": "Spring cup"',
    }
    MEANT: ClassVar = {
        **event_requests.MEANT,
        **dict.fromkeys(("seats", "bot"), "bots"),
        "settings": "options",
        **dict.fromkeys(("name", "title", "tournament"), "event"),
        **dict.fromkeys(("openings", "opening"), "opening_plies"),
        **dict.fromkeys(("games", "matches", "count"), "rounds"),
    }

    game: str
    bots: Annotated[
        list[str], Meta(max_length=MAX_ENTRANTS, description="by seat, in order of play, or the entrants of a race")
    ]
    # msgspec copies it
    options: Annotated[dict[str, Any], Meta(description="of the game; see /api/games")] = {}  # noqa: RUF012
    tc: str | None = None
    st: Annotated[str | int | float | None, Meta(description="seconds a move")] = None
    time: TimeControl | None = None
    times: Annotated[dict[str, str], Meta(description=event_requests.TIMES)] = {}  # noqa: RUF012
    seed: Annotated[int, Meta(ge=0, le=MAX_INT, description="of the opening and the instance")] | None = None
    opening_plies: Annotated[int, Meta(ge=0, le=100, description="random moves before the clocks run")] = 0
    rounds: Annotated[
        int, Meta(ge=1, le=100, description="matches: in all orders of the seats, or on so many instances of a race")
    ] = 1
    strikes: Annotated[int, Meta(ge=1, le=100, description="rejected moves that cost the match")] = 3
    max_plies: Annotated[
        Annotated[int, Meta(ge=1, le=100_000)] | None,
        Meta(description="then it is a draw; null: 1000, for each entrant of an anytime race 10,000"),
    ] = None
    by_time: Annotated[bool, Meta(description="in a race, equal costs are ranked by thinking time")] = False
    rated: Annotated[bool | None, Meta(description=event_requests.RATED)] = None
    event: Annotated[str, Meta(max_length=200, description="shown to viewers")] = ""

    @classmethod
    def unknown(cls, name: str, body: Mapping[str, Any]) -> str:
        """Return the remedy for an unknown key, which may be an option of the game that the body names."""
        wanted = body.get("game")
        if isinstance(wanted, str) and wanted in games() and name in known_game(wanted).options_type.__struct_fields__:
            return f'it is an option of {wanted}; write "options": {{"{name}": {quoted(body[name])}}}'
        return super().unknown(name, body)


def setups(request: StartRequest) -> list[Setup]:
    """Return the requested matches. Raises BadOption or ApiError; many openings or instances may take a while.

    The `effort` that this is called `within` limits how long they may take.
    """
    rules = known_game(request.game)
    if not request.event.isprintable():  # it is shown on terminals, too
        raise ApiError(422, "bad-value", f"event {request.event[:40]!r} has characters that cannot be printed")
    if request.by_time and rules.kind != "race":
        raise ApiError(422, "bad-value", f"{rules.name} is no race: `by_time` ranks equal costs; leave it out")
    options = rules.parse_options(request.options)
    seed = secrets.randbelow(2**31) if request.seed is None else request.seed
    first = Setup(
        game=request.game,
        bots=tuple(request.bots),
        options=msgspec.to_builtins(options),
        seed=seed,
        strikes=request.strikes,
        by_time=request.by_time,
        **terms(rules, _time(request), request.max_plies),
    )
    odds = event_requests.times_for(request.times, first.bots, first.time.margin_ms)
    if rules.kind == "race":
        return [setup.with_odds(odds).with_rated(rated=request.rated) for setup in _heats(first, request)]
    lineups = orders(first.bots)
    _check(first)
    found = openings(rules, first.start, request.opening_plies, -(-request.rounds // len(lineups)), seed)
    planned = [
        msgspec.structs.replace(first, bots=lineups[number % len(lineups)], opening=found[number // len(lineups)])
        for number in range(request.rounds)
    ]
    return [setup.with_odds(odds).with_rated(rated=request.rated) for setup in planned]


def _heats(first: Setup, request: StartRequest) -> list[Setup]:
    """Return a race on so many instances, each drawn here and for all entrants."""
    if request.opening_plies:
        raise ApiError(422, "bad-setup", f"{first.game} is a race, it has no openings; its seed draws the instance")
    found: list[Setup] = []
    try:
        for number in range(request.rounds):
            setup = msgspec.structs.replace(first, seed=first.seed + number)
            found.append(heat(setup))  # their number shows where it was too much
            check_progress(len(found), request.rounds)
    except TooMuchWork as error:
        where = f"{first.game}: {len(found)} of {request.rounds} instances were found"
        raise ApiError(422, "too-much-work", f"{where}; {error}") from None
    _check(found[0])
    return found


def _check(setup: Setup) -> None:
    try:
        check_setup(setup)
    except ValueError as error:
        raise ApiError(422, "bad-setup", str(error)) from None


def _time(request: StartRequest) -> TimeControl:
    if request.time is None:
        return TimeControl.parse(request.tc, None if request.st is None else str(request.st))
    if request.tc is not None or request.st is not None:
        raise ApiError(422, "bad-value", "give the time as `tc` and `st`, or as `time`, not both ways")
    return request.time


def check_bots(rules: Game[Any, Any], names: Sequence[str], lobby: Lobby) -> None:
    """Refuse bots that do not fit the seats, or are not here. Raises ApiError, which names those that are."""
    if rules.kind == "race":
        if not names:
            raise ApiError(422, "bad-bots", f"{rules.name} is a race; name 1 to {MAX_ENTRANTS} bots")
    elif len(names) != len(rules.seats):
        seats = ", ".join(rules.seats)
        raise ApiError(422, "bad-bots", f"{rules.name} has {len(rules.seats)} seats ({seats}); name a bot for each")
    if len(set(names)) != len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise ApiError(422, "bad-bots", f"{twice[:40]!r} is named twice; the bots of a match are all different")
    here = [bot.name for bot in lobby.connected(rules.name)]
    if missing := [name for name in names if name not in here]:
        connected = {bot.name for bot in lobby.connected()}
        complaints = [
            f"{name[:40]} does not play {rules.name}" if name in connected else f"{name[:40]} is not connected"
            for name in missing
        ]
        who = ", ".join(here) if here else "no bot"
        raise ApiError(409, "bots-missing", f"{'; '.join(complaints)}; connected for {rules.name}: {who}")
