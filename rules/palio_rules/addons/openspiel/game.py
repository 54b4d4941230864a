"""One of OpenSpiel's games, behind the interface of all games: settings, notation, the text of a position.

Each game has classes of its own, which are made when they are asked for. This module has them by their names
(`__getattr__`), so that what is made of them can be pickled and read in another process, as environments have to be.
"""

from functools import cache
from typing import Annotated, Any, ClassVar
from urllib.parse import quote, unquote

import msgspec
from msgspec import Meta

from palio_rules.addons.openspiel.library import OWN, kind_of, pyspiel
from palio_rules.addons.openspiel.position import Position, Variant, loaded
from palio_rules.errors import BadOption, BadPosition, MalformedMove, quoted
from palio_rules.game import Game, Options, Outcome

PREFIX = "openspiel_"
SEATS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
TEXT = 7600  # characters for the moves in a position's text; the wire carries 8192
LARGEST = 26  # of a number that OpenSpiel gives no bounds for: a board with so many rows fits a screen
MAX_PLIES = "max_plies"
GAME_CLASS, OPTIONS_CLASS = "Spiel_", "SpielOptions_"  # how the names of classes begin that are made here


class SpielGame(Game[Position, int]):
    """A game of OpenSpiel; each has a class of its own, made by `game_class`."""

    spiel: ClassVar[str]  # OpenSpiel's short name
    players: ClassVar[int | None]  # where it differs from what OpenSpiel takes by itself
    width: ClassVar[int]  # digits of a move in a position's text

    def about(self) -> str:
        lines = [
            f"{self.title}, as OpenSpiel plays it (`{self.spiel}`).",
            "A move is the number of an action on the wire, and what OpenSpiel calls it in records.",
            "Whoever has the highest return wins.",
        ]
        return "\n\n".join(lines)

    def start(self, options: Any, seed: int = 0) -> Position:
        return self._variant(options).initial

    def move_from_wire(self, value: object) -> int:
        if type(value) is not int or not 0 <= value < 2**53:
            raise MalformedMove("not-an-action", f"a move is the number of an action in OpenSpiel, got {quoted(value)}")
        return value

    def move_to_wire(self, move: int) -> Any:
        return move

    def notation(self, state: Position, move: int) -> str:
        return state.names()[move]

    def parse_notation(self, state: Position, text: str) -> int:
        for move, name in state.names().items():
            if name == text:
                return move
        raise MalformedMove("not-notation", f"no action that can be played here has this name, got {quoted(text)}")

    def format_state(self, state: Position) -> str:
        """Settings and moves: `board_size=5 0a1c`, each move in so many digits to the base 36; `-` for none."""
        variant = state.variant
        settings = [f"{name}={_plain(value)}" for name, value in variant.settings if name != "players"]
        if variant.max_plies != self.options_type().max_plies:  # type: ignore[attr-defined]
            settings.append(f"{MAX_PLIES}={variant.max_plies}")
        moves = "".join(_digits(action, self.width) for action in state.actions)
        return f"{','.join(settings) or '-'} {moves or '-'}"

    def parse_state(self, text: str) -> Position:
        parts = text.split(" ")
        if len(parts) != 2:
            raise BadPosition(f"a position has its settings and its moves, as in `- {'0' * self.width}`; {_got(text)}")
        try:
            state = self.start(self.parse_options(_settings(parts[0])))
        except BadOption as error:
            raise BadPosition(f"in the settings: {error}") from None
        for number, action in enumerate(self._actions(parts[1]), 1):
            if state.to_move is None or action not in state.spiel.legal_actions():
                raise BadPosition(f"move {number} cannot be played, it is action {action}; {_got(text)}")
            state = state.play(action)
        if self.format_state(state) != text:
            raise BadPosition(f"this is written {quoted(self.format_state(state))}, and in no other way; {_got(text)}")
        return state

    def way(self, state: Position) -> tuple[Position, tuple[int, ...]]:
        return state.variant.initial, state.actions

    def render(self, state: Position) -> str:
        """Return the text that OpenSpiel prints, and the seat to move."""
        lines = [line.rstrip() for line in str(state.spiel).strip("\n").split("\n")]
        seat = state.to_move
        return "\n".join((*lines, "the game is over" if seat is None else f"{self.seats[seat]} to move"))

    def forfeit(self, state: Position, seat: int) -> Outcome:
        """The game ends, for OpenSpiel's go on with all players only; the others share the win."""
        share = 1 / (len(self.seats) - 1)
        return Outcome("forfeit", tuple(0.0 if other == seat else share for other in range(len(self.seats))))

    def encoding(self, options: Any) -> Any:
        from palio_rules.addons.openspiel.encoding import SpielEncoding  # noqa: PLC0415  # numpy is for programs that learn

        return SpielEncoding(self, options)

    def _variant(self, options: Any) -> Variant:
        kept = {name: value for name, value in msgspec.to_builtins(options).items() if name != MAX_PLIES}
        defaults = msgspec.to_builtins(self.options_type())
        changed = {name: value for name, value in kept.items() if value != defaults[name]}
        if self.players is not None:
            changed["players"] = self.players
        variant = Variant(self.spiel, tuple(sorted(changed.items())), options.max_plies)
        game = loaded(variant.game, variant.settings)
        if game.num_players() != len(self.seats):
            raise BadOption(f"{self.name} has {len(self.seats)} seats, with these settings {game.num_players()}")
        if game.num_distinct_actions() > 36**self.width:
            raise BadOption(f"{self.name} is too large with these settings: {game.num_distinct_actions():,} actions")
        return variant

    def _actions(self, text: str) -> list[int]:
        if text == "-":
            return []
        if len(text) % self.width or not set(text) <= set(DIGITS):
            raise BadPosition(f"a move has {self.width} digits of 0-9 and a-z; got {quoted(text)}")
        return [int(text[at : at + self.width], 36) for at in range(0, len(text), self.width)]


@cache
def game_class(name: str) -> type[SpielGame]:
    """The class of the game called `name` here: `openspiel_hex`, `openspiel_quoridor_4`. Raises BadOption."""
    spiel, players = _parts(name)
    kind = kind_of(spiel)
    known = kind.parameter_specification
    if players is not None and ("players" not in known or not kind.min_num_players <= players <= kind.max_num_players):
        span = f"{kind.min_num_players} to {kind.max_num_players}" if "players" in known else kind.max_num_players
        raise BadOption(f"{spiel} of OpenSpiel has {span} players, not {players}")
    game = loaded(spiel, () if players is None else (("players", players),))
    if name != plain_name(spiel, game.num_players()):
        raise BadOption(
            f"OpenSpiel's {spiel} for {game.num_players()} is called {plain_name(spiel, game.num_players())}"
        )
    width = len(_digits(max(game.num_distinct_actions() * 4, 36) - 1, 1))  # boards that are larger have more
    words = {
        "name": name,
        "title": kind.long_name if players is None else f"{kind.long_name} for {players}",
        "line": f"{kind.long_name}, by the rules of OpenSpiel.",
        "seats": SEATS[: game.num_players()],
        "options_type": _options(spiel, TEXT // width),
        "spiel": spiel,
        "players": players,
        "width": width,
        "__doc__": f"{kind.long_name}, as OpenSpiel plays it.",
        "__module__": __name__,
    }
    return type(f"{GAME_CLASS}{name}", (SpielGame,), words)


def __getattr__(name: str) -> Any:
    """Return the class that has this name here, for `pickle`."""
    try:
        if name.startswith(GAME_CLASS):
            return game_class(name.removeprefix(GAME_CLASS))
        if name.startswith(OPTIONS_CLASS):
            most, _, spiel = name.removeprefix(OPTIONS_CLASS).partition("_")
            return _options(spiel, int(most))
    except (BadOption, ValueError) as error:
        raise AttributeError(f"there is no {name} in {__name__}: {error}") from None
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def plain_name(spiel: str, players: int) -> str:
    """Return the name of a game here; it has the number of players where OpenSpiel would take another one."""
    usual = kind_of(spiel).parameter_specification.get("players", players)
    return f"{PREFIX}{spiel}" if players == usual else f"{PREFIX}{spiel}_{players}"


def _parts(name: str) -> tuple[str, int | None]:
    whole = name.removeprefix(PREFIX)
    stem, _, number = whole.rpartition("_")
    every = {kind.short_name for kind in pyspiel().registered_games()}
    return (stem, int(number)) if whole not in every and stem in every and number.isdecimal() else (whole, None)


@cache
def _options(spiel: str, most: int) -> type[Options]:
    """The settings of a game: OpenSpiel's own, but for what only its programs see, and how long it may take."""
    fields: list[tuple[str, Any, Any]] = []
    for name, value in kind_of(spiel).parameter_specification.items():
        if name in (*OWN, "players"):
            continue
        what = f"OpenSpiel's {name}"
        match value:
            case bool():
                fields.append((name, Annotated[bool, Meta(description=what)], value))
            case int():
                top = max(LARGEST, value) if value < 100 else value * 10
                fields.append((name, Annotated[int, Meta(ge=min(value, 1), le=top, description=what)], value))
            case float():
                fields.append((name, Annotated[float, Meta(ge=-1000, le=1000, description=what)], value))
            case str():
                fields.append((name, Annotated[str, Meta(max_length=200, description=what)], value))
    limit = Annotated[int, Meta(ge=1, le=most, description="then it is a draw, so that every position can be sent")]
    fields.append((MAX_PLIES, limit, most))
    name = f"{OPTIONS_CLASS}{most}_{spiel}"
    made: Any = msgspec.defstruct(name, fields, bases=(Options,), module=__name__, frozen=True, kw_only=True)
    return made  # type: ignore[no-any-return]


def _settings(text: str) -> dict[str, str]:
    if text == "-":
        return {}
    pairs = [part.partition("=") for part in text.split(",")]
    return {name: unquote(value, errors="strict") for name, _, value in pairs}


def _plain(value: Any) -> str:
    return quote(str(value).lower() if isinstance(value, bool) else str(value), safe="/;:.-()")


def _digits(number: int, width: int) -> str:
    text = ""
    while number or len(text) < width:
        number, digit = divmod(number, 36)
        text = DIGITS[digit] + text
    return text


def _got(text: str) -> str:
    return f"got {quoted(text)}"
