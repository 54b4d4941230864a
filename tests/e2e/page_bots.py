"""A bot's past for the page's tests, as the real server words it."""

from datetime import UTC, datetime, timedelta
from typing import Any

from page_server import Stage
from page_story import furnish

from palio_db.values import Build
from palio_rules.contract.messages import SeatOf
from palio_rules.time_control import TimeControl
from palio_server.api.bot_reader import (
    BotDetail,
    BotHistory,
    BotReport,
    GameOf,
    HistoryPoint,
    OpeningItem,
    OpponentItem,
    OutcomeCount,
    ProfileItem,
    Profiles,
    RatingOf,
    TimeBin,
    TimesItem,
)

NOW = datetime.now(UTC)
GAME = "breakthrough"


def rated(game: str, title: str, rating: float, **more: Any) -> GameOf:
    counts = [("won", 498), ("lost", 171), ("time", 9), ("illegal", 3), ("crashed", 2)]
    values: dict[str, Any] = {
        "provisional": False,
        "games": 683,
        "wins": 498,
        "draws": 0,
        "losses": 185,
        "points": 498.0,
    }
    places = {"mean_ms": 48.0, "place": 5, "best": 3, "worst": 7, "of": 16}
    outcomes = [OutcomeCount(outcome, games) for outcome, games in counts]
    return GameOf(
        **{
            "game": game,
            "title": title,
            "rating": rating,
            "error": 29,
            **values,
            **places,
            "outcomes": outcomes,
            **more,
        }
    )


def torre(**more: Any) -> BotDetail:
    values: dict[str, Any] = {
        "name": "torre",
        "about": "Alpha-beta with a table of a million positions.",
        "registered": True,
        "guest": False,
        "connected": True,
        "rested": False,
        "games": [GAME],
        "instances": 1,
        "slots": 1,
        "matches": [],
        "first_seen": NOW - timedelta(days=80),
        "last_seen": NOW,
        "builds": [Build("torre.py 1f0c88ab, palio 1.0.0", NOW - timedelta(days=40))],
        "conflict": [],
        "ratings": [
            rated(GAME, "Breakthrough", 1876.4),
            rated("dominoes", "Dominoes", 1590.2, provisional=True, place=None),
        ],
    }
    return BotDetail(**{**values, **more})


def history(points: int = 40) -> BotHistory:
    when = [NOW - timedelta(days=80 * (1 - number / (points - 1))) for number in range(points)]
    found = [HistoryPoint(at, 1600 + 7 * number, 80 - number, False) for number, at in enumerate(when)]
    return BotHistory(GAME, "torre", found, torre().builds)


def report(opponents: int = 3) -> BotReport:
    met = [OpponentItem(f"oca-{number:02}", 1900 - number, False, 24, 0, 40, 0.38, 0.35) for number in range(opponents)]
    opened = [OpeningItem(seat, name, ["c5-c4", "a2-a3"], 41, 0.66) for seat, name in enumerate(("black", "white"))]
    bins = [TimeBin(10, 20, 40), TimeBin(20, 50, 90), TimeBin(50, 100, 30)]
    form = ["won"] * 15 + ["drawn", "lost", "time", "won", "won"]
    return BotReport(GAME, "torre", form, opponents, met, 100, opened, TimesItem(160, 41, 99, bins))


def match(number: int, bots: tuple[str, str] = ("torre", "oca"), **more: Any) -> dict[str, Any]:
    values: dict[str, Any] = {
        "id": f"m{number:04}",
        "game": GAME,
        "title": "Breakthrough",
        "status": "finished",
        "bots": list(bots),
        "seats": [SeatOf("black", bots[0]), SeatOf("white", bots[1])],
        "time": TimeControl(),
        "event": "Siena Cup",
        "tournament": 7,
        "round": 4,
        "scores": [1.0, 0.0],
        "termination": "rule",
        "reason": "reached-far-row",
        "plies": 61,
        "created_at": NOW,
        "started_at": NOW,
        "finished_at": NOW - timedelta(days=number),
        "encounter": 3,
        "rated": True,
    }
    return {**values, **more}


def furnish_bots(stage: Stage) -> Stage:
    """The story, and torre in it."""
    furnish(stage)
    faults = match(2, scores=[0.0, 1.0], termination="time", reason="flag-fell")
    items = [
        ProfileItem("torre", torre().about, True, 0, NOW, [RatingOf(GAME, "Breakthrough", 1876.4, 29, False, 683)])
    ]
    items += [ProfileItem("oca", "", False, 0, None, [])]
    stage.answers |= {
        "bots/torre": torre(),
        "bots/torre/history": history(),
        "bots/torre/report": report(),
        "matches": [match(1), faults],
        "profiles": Profiles(2, items),
    }
    return stage
