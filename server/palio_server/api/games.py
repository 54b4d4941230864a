"""`/api/games`: the installed games and their rules."""

import asyncio
import logging
import random
import re
from functools import cache
from typing import Any, Literal

import msgspec

from palio_rules.errors import BadOption, nearest
from palio_rules.game import Game, Kind
from palio_rules.records.forms import texts_of
from palio_rules.registry import game, games, leaderboard_of
from palio_rules.scene import Mark, Scene
from palio_server.api.answers import ApiError, Json
from palio_server.api.operations import Routes

routes = Routes("games")

LATER = 14  # plies, played at random, after which a position shows the typical look of the game
SEED = 1

log = logging.getLogger(__name__)

_NO_PIECES = {"ball", "label", "wall", "area"}  # marks of a seat that do not tell whose seat is whose

_TYPES: dict[str, Literal["int", "float", "bool", "str"]] = {"integer": "int", "number": "float", "boolean": "bool"}


class OptionItem(msgspec.Struct, frozen=True):
    """A setting of a game. `choices` lists all values, if there are few; bounds if it has any.

    `examples` are the usual values, where the game names some: forms offer them first.
    """

    name: str
    type: Literal["int", "float", "bool", "str"]
    default: Any
    description: str
    choices: list[Any] | None = None
    minimum: float | None = None
    maximum: float | None = None
    examples: list[Any] | None = None


class GameItem(msgspec.Struct, frozen=True):
    """A game: its seats in order of play, its settings, its rules in a `line`. A race has any number of entrants.

    `pieces` are a sample piece for each seat, in the order of `seats`, where a list names seats without a board; empty
    for a race, whose entrants all have the same pieces, and for a game that draws none. `texts` are the forms, beside
    JSON, in which its matches are written: `pgn` and `sgf` are read by other programs.
    """

    name: str
    title: str
    kind: Kind
    anytime: bool  # a race in which the best solution counts when time is up: it needs a time
    seats: list[str]
    options: list[OptionItem]
    line: str = ""
    pieces: list[Mark] = msgspec.field(default_factory=list)
    texts: list[str] = msgspec.field(default_factory=lambda: ["text"])


class RulesSection(msgspec.Struct, frozen=True):
    """A part of a game's rules in Markdown; the first one has no title."""

    title: str
    text: str


class GameRules(msgspec.Struct, frozen=True):
    """The rules of a game for people, with the first position and one some plies later, drawn; null: shown as text."""

    name: str
    title: str
    line: str
    how: str  # how a move is made by hand; empty: moves are picked from a list
    sections: list[RulesSection]
    text: str  # the first position as a text board
    first: Scene | None
    later: Scene | None


@routes.get("/games", list[GameItem])
async def list_games() -> Json:
    """Return the games that are installed here."""
    return Json([_item(name) for name in games()])


@routes.get("/games/{game}/rules", GameRules, 404)
async def get_rules(game: str) -> Json:
    """Return a game's rules for people."""
    name = known_game(game).name
    return Json(await asyncio.to_thread(rules_of, name), headers={"Cache-Control": "public, max-age=600"})


def known_game(name: str) -> Game[Any, Any]:
    """Return the game, for a path or a filter. Raises ApiError 404."""
    if name not in games():
        bare = name.partition(":")[0]
        remedy = f"write {bare!r}, settings go into options" if bare in games() else nearest(name, games())
        raise ApiError(404, "unknown-game", f"unknown game {name[:80]!r}; {remedy}")
    return game(name)


def known_board(text: str) -> str:
    """Return the leaderboard that a path or a filter names: `go`, or `go:size=19`. Raises ApiError 404."""
    if ":" not in text:
        return known_game(text).name
    known_game(text.partition(":")[0])
    try:
        return leaderboard_of(text)
    except BadOption as error:
        raise ApiError(404, "unknown-leaderboard", str(error)) from None


@cache
def rules_of(name: str) -> GameRules:
    """Return the answer of `/api/games/{game}/rules`."""
    rules = game(name)
    how = "" if rules.gestures is None else rules.gestures.how
    text, first, later = _shown(rules)
    return GameRules(name, rules.title, rules.line, how, sections(rules.about()), text, first, later)


def sections(about: str) -> list[RulesSection]:
    """Return the parts of a text in Markdown, as its headings divide it; the heading of the whole is left out."""
    first, *others = re.split(r"^## +", about.strip(), flags=re.MULTILINE)
    parts = [RulesSection("", re.sub(r"\A# .*\n*", "", first).strip())]
    for part in others:
        title, _, text = part.partition("\n")
        parts.append(RulesSection(title.strip(), text.strip()))
    return parts


def _shown(rules: Game[Any, Any]) -> tuple[str, Scene | None, Scene | None]:
    """Return the first position as text and drawn, and one some plies later; None where the game cannot draw it."""
    try:
        state = rules.start(rules.parse_options({}), SEED)
        text, first = rules.render(state), rules.scene(state)
        chance = random.Random(SEED)  # noqa: S311  # a picture, not a secret
        for _ in range(0 if rules.anytime else LATER):
            after = state.play(chance.choice(list(state.legal_moves())))
            if after.to_move is None:
                break
            state = after
        return text, first, rules.scene(state)
    except Exception:  # a third-party game that cannot be drawn still has its rules
        log.exception("%s cannot show its first position", rules.name)
        return "", None, None


@cache
def _item(name: str) -> GameItem:
    rules = game(name)
    kind = rules.options_type
    _, components = msgspec.json.schema_components([kind])
    options = [_option(option, schema) for option, schema in components[kind.__name__]["properties"].items()]
    return GameItem(
        name,
        rules.title,
        rules.kind,
        rules.anytime,
        list(rules.seats),
        options,
        rules.line,
        pieces_of(rules),
        texts_of(rules),
    )


def pieces_of(rules: Game[Any, Any]) -> list[Mark]:
    """Return a piece for each seat: as the first position's scene says, else the seat's first piece on the board."""
    first = None if rules.kind == "race" else _shown(rules)[1]
    if first is None:
        return []
    own = [mark for mark in (*first.chips, *first.marks) if mark.seat is not None and mark.shape not in _NO_PIECES]
    found = {mark.seat: mark for mark in reversed(own)}  # the first of each seat stays
    seats = range(len(rules.seats))
    return [found[seat] for seat in seats] if all(seat in found for seat in seats) else []


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
        examples=schema.get("examples"),
    )
