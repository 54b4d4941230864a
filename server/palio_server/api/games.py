"""`/api/games`: what can be played here."""

from functools import cache
from typing import Any, Literal

import msgspec

from palio_rules.errors import nearest
from palio_rules.game import Game, Kind
from palio_rules.registry import game, games
from palio_server.api.answers import ApiError, Json
from palio_server.api.operations import Routes

routes = Routes("games")

_TYPES: dict[str, Literal["int", "float", "bool", "str"]] = {"integer": "int", "number": "float", "boolean": "bool"}


class OptionItem(msgspec.Struct, frozen=True):
    """A setting of a game. `choices` lists all values, where there are few; bounds where it has any."""

    name: str
    type: Literal["int", "float", "bool", "str"]
    default: Any
    description: str
    choices: list[Any] | None = None
    minimum: float | None = None
    maximum: float | None = None


class GameItem(msgspec.Struct, frozen=True):
    """A game: its seats in order of play, what can be set, its rules in a `line`. A race has any number of entrants."""

    name: str
    title: str
    kind: Kind
    anytime: bool  # a race in which the best solution counts when time is up: it needs a time
    seats: list[str]
    options: list[OptionItem]
    line: str = ""


@routes.get("/games", list[GameItem])
async def list_games() -> Json:
    """The games that are installed here."""
    return Json([_item(name) for name in games()])


def title_of(name: str) -> str:
    """The game's title; its name, if it was played here once but is not installed any more."""
    return game(name).title if name in games() else name


def known_game(name: str) -> Game[Any, Any]:
    """The game, for a path or a filter. Raises ApiError 404."""
    if name not in games():
        bare = name.partition(":")[0]
        remedy = f"write {bare!r}, settings go into options" if bare in games() else nearest(name, games())
        raise ApiError(404, "unknown-game", f"unknown game {name[:80]!r}; {remedy}")
    return game(name)


@cache
def _item(name: str) -> GameItem:
    rules = game(name)
    kind = rules.options_type
    _, components = msgspec.json.schema_components([kind])
    options = [_option(option, schema) for option, schema in components[kind.__name__]["properties"].items()]
    return GameItem(name, rules.title, rules.kind, rules.anytime, list(rules.seats), options, rules.line)


def _option(name: str, schema: dict[str, Any]) -> OptionItem:
    variants = schema.get("anyOf", [schema])  # a setting that may be None is one of two types
    main = next(variant for variant in variants if variant.get("type") != "null")
    return OptionItem(
        name=name,
        type=_TYPES.get(main.get("type", ""), "str"),
        default=schema.get("default"),
        description=schema.get("description", ""),
        choices=main.get("enum"),
        minimum=main.get("minimum"),
        maximum=main.get("maximum"),
    )
