"""The scripted server's default answers: six games, four bots, three matches in progress, a leaderboard."""

from collections.abc import Sequence
from typing import Any

import msgspec
from page_matches import PlayedMatch
from page_server import Stage

from palio_db.values import Leader, Leaderboard
from palio_rules.records.forms import texts_of
from palio_rules.registry import game
from palio_rules.time_control import TimeControl
from palio_server.api.games import pieces_of, rules_of
from palio_server.api.positions import Hint, meant_by_touches, position_item

GAMES = ("breakthrough", "dominoes", "end_of_the_track")
MORE = ("chexers", "rush_hour", "tsp")  # a table and two races, without players by default
BOTS = ("ada", "grace", "sofia", "emmy")
EVENT = "Sienese evening"


def described(name: str) -> dict[str, Any]:
    found = game(name)
    bounds = {"type": "int", "default": 8, "choices": None, "minimum": 4, "maximum": 8}
    options = [
        {"name": "rows", "description": "rows of the board", **bounds},
        {
            "name": "first",
            "type": "str",
            "default": "black",
            "description": "who begins",
            "choices": ["black", "white"],
        },
    ]
    kind = {"kind": found.kind, "anytime": found.anytime, "line": found.line, "pieces": pieces_of(found)}
    kind["texts"] = texts_of(found)
    return {"name": name, "title": found.title, **kind, "seats": list(found.seats), "options": options}


def bot(name: str, playing: int = 0, games: Sequence[str] = GAMES) -> dict[str, Any]:
    seats = {"instances": 1, "slots": 2, "playing": playing}
    return {"name": name, "connected": True, "games": list(games), "transport": "websocket", **seats}


def leader(rank: int, name: str, rating: float, error: float, **counts: Any) -> Leader:
    values: dict[str, Any] = {
        "provisional": False,
        "games": 40,
        "wins": 20,
        "draws": 4,
        "losses": 16,
        "points": 22.0,
        "illegal_moves": 0,
        "time_losses": 0,
        "mean_ms": 182.5,
        "form": "WWDLWLWWDW",
    }
    return Leader(rank=rank, bot=name, rating=rating, error=error, **(values | counts))


def leaderboard(name: str = "breakthrough") -> Leaderboard:
    return Leaderboard(
        name,
        [
            leader(1, "ada", 1712.4, 61.0, wins=31, draws=4, losses=5, points=33.0, mean_ms=412.0, form="WWWWDWWWLW"),
            leader(2, "grace", 1590.1, 55.2, wins=22, draws=6, losses=12, points=25.0, mean_ms=1230.0),
            leader(
                3, "sofia", 1471.9, 58.8, wins=12, draws=4, losses=24, points=14.0, illegal_moves=3, form="LLWLDLWLLW"
            ),
            leader(
                4,
                "emmy",
                1310.0,
                240.0,
                provisional=True,
                games=6,
                wins=1,
                draws=0,
                losses=5,
                points=1.0,
                time_losses=2,
                mean_ms=4.2,
                form="LLLWLL",
            ),
        ],
    )


def pair(first: str, second: str, wins: int, draws: int, losses: int) -> dict[str, Any]:
    return {"first": first, "second": second, "wins": wins, "draws": draws, "losses": losses}


PAIRS = [
    pair("ada", "grace", 9, 2, 3),
    pair("ada", "sofia", 12, 2, 1),
    pair("grace", "sofia", 10, 2, 3),
    pair("emmy", "sofia", 1, 0, 2),
]


def furnish(stage: Stage) -> Stage:
    """Fill `stage` with the default story."""
    stage.answers |= {
        "games": [described(name) for name in (*GAMES, *MORE)],
        "bots": [bot("ada", 1), bot("grace", 1), bot("sofia", 2), bot("emmy", 0, GAMES[:1])],
        "matches": [],  # for any filter
        "tournaments": [],
        **{f"games/{name}/rules": rules_of(name) for name in (*GAMES, *MORE)},
        "leaderboard/breakthrough": leaderboard(),
        "leaderboard/dominoes": Leaderboard("dominoes", []),
        "head-to-head/breakthrough": {"game": "breakthrough", "pairs": PAIRS},
    }
    return stage


def answer_positions(stage: Stage, name: str) -> list[Any]:
    """Let the rules of one game answer for its positions, and hint at the first move; gives the moves asked for."""
    rules, played = game(name), []

    def position(body: dict[str, Any], _token: str) -> tuple[int, Any]:
        state = rules.parse_state(body["state"]) if body.get("state") else rules.start(rules.parse_options({}), 1)
        if stage.posts[-1][0].endswith("/hint"):
            move = next(iter(state.legal_moves()))
            hint = Hint(rules.move_to_wire(move), rules.notation(state, move), [], "the first move", complete=True)
            return 200, msgspec.to_builtins(hint)
        if body.get("play") is not None:
            played.append(body["play"])
            state = state.play(rules.read_move(state, body["play"]))
        cells = [tuple(cell) for cell in body.get("touched") or ()]
        item = position_item(rules, state, meant_by_touches(rules, state, cells) if cells else None)
        return 200, msgspec.to_builtins(item)

    stage.on_post = position
    return played


def add_matches(stage: Stage) -> dict[str, PlayedMatch]:
    """One match of each game, some plies in."""
    found = {
        name: stage.add(PlayedMatch(f"m-{name}", name, bots, seed=seed, event=EVENT))
        for seed, (name, bots) in enumerate(zip(GAMES, (BOTS[:2], BOTS[2:], BOTS[1:3]), strict=True), 1)
    }
    for match in found.values():
        match.start()
        for _ in range(9):
            match.play()
    return found


def quick(match: str, bots: Sequence[str] = BOTS[:2]) -> PlayedMatch:
    """A match with a limit a move and no clock."""
    return PlayedMatch(match, "dominoes", bots, time=TimeControl(move_ms=500))


def replay_of(match: PlayedMatch) -> dict[str, Any]:
    return {"summary": match.summary(), "lines": match.lines, "refusals": match.refusals, "views": match.views}
