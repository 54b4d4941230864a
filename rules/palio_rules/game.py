"""The interface of every game for referees, bots, viewers and records.

A `State` is a position: frozen, hashable, and its own transposition-table key. A `Game` makes positions and translates
moves and positions between their four forms: values for programs, plain lists for the wire, notation for people, and
one line of text for files.

The laws, each a property test over every registered game:

- `m in set(state.legal_moves())` exactly when `state.check(m)` passes; only a pass of Go that claims dead stones is
  legal without being listed, because a position has as many claims as sets of groups;
- `play` never changes its receiver;
- wire, notation and position text round-trip to the identity;
- a hostile wire value only ever raises `Rejection`, a hostile text only `ValueError`.

A game with one seat is a **race**: every entrant gets the same instance, alone, and is ranked by `Game.cost`. In an
**anytime** race every move is a whole solution, and the best one so far counts. It has too many moves to list, so the
first law holds in one direction only: listed moves are legal, but they are only a few examples. It never ends by
itself: the turn stays with its seat until `Game.forfeit` closes the race, for any reason; only then is there an
outcome. A referee ends it early only if no solution can be better (`Game.lower_bound`).
"""

import inspect
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache, partial, wraps
from importlib.resources import files
from typing import Any, ClassVar, Generic, Literal, NamedTuple, Protocol, Self, TypeVar
from urllib.parse import quote
from weakref import WeakSet

import msgspec

from palio_rules.errors import BadOption, IllegalMove, MalformedMove, nearest, quoted, sentence
from palio_rules.position import Moves
from palio_rules.scene import Gestures, Scene, Touches
from palio_rules.spec import Spec

MoveT = TypeVar("MoveT")
Kind = Literal["race", "duel", "table"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """The end of a game by its rules: a machine-readable reason, and a score for each seat.

    In a duel a score is 1, 0.5 or 0; with three or more seats the winner has 1 or winners share it equally; in a race 1
    for a solution, else 0. `detail` is a sentence for people where the scores do not tell all: "Black wins by 2".
    """

    reason: str
    scores: tuple[float, ...]
    detail: str = field(default="", compare=False)


class State(Protocol[MoveT]):
    """A position. Frozen and hashable; `play` returns a new one."""

    @property
    def to_move(self) -> int | None:
        """Return the seat (index into `Game.seats`) to move; None when the game is over."""

    def legal_moves(self) -> Iterator[MoveT]:
        """Yield every move that can be played here, in the game's documented order; none when the game is over."""

    def check(self, move: MoveT, /) -> None:
        """Raise IllegalMove, with the reason, unless `move` can be played here. Changes nothing.

        So it does for any value (`only_moves`).
        """

    def play(self, move: MoveT, /) -> Self:
        """Return the position after `move`. Does not check `move`: a referee calls `check` first, a search need not."""

    def outcome(self) -> Outcome | None:
        """Return the result by the rules, or None while the game goes on."""


P = TypeVar("P", bound=State[Any])


def only_moves(check: Callable[[P, MoveT], None]) -> Callable[[P, MoveT], None]:
    """Let a position's `check` refuse a value of another type than a move's, too: with IllegalMove."""

    @wraps(check)
    def checked(state: P, move: MoveT) -> None:
        try:
            check(state, move)
        except IllegalMove:
            raise
        except MalformedMove as error:
            raise IllegalMove(error.code, str(error)) from None
        except (TypeError, ValueError, AttributeError, LookupError):
            some = next(iter(state.legal_moves()), None)
            told = "the game is over" if some is None else f"take one of legal_moves(), as {quoted(some)}"
            raise IllegalMove("not-a-move", f"{quoted(move)} is no move of this game; {told}") from None

    return checked


class Progress(NamedTuple):
    """The full moves that have been played, and the plies since the last one that cannot be taken back, as a capture or
    a pawn's move in chess.
    """

    moves: int
    quiet: int


class Options(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The settings of a game: typed fields, each with a default, bounds (`msgspec.Meta`) and a description."""

    def __post_init__(self) -> None:
        """Refuse values of another type or out of their bounds. Raises BadOption."""
        for name, option in _fields(type(self)).items():
            value = getattr(self, name)
            try:
                msgspec.convert(value, option.type)
            except msgspec.ValidationError as error:
                told = _lower(sentence(error))[:200]
                raise BadOption(f"{type(self).__name__} {name}={quoted(value)}: {told}") from None


S = TypeVar("S", bound=State[Any])


class Game(ABC, Generic[S, MoveT]):
    """The rules of one game; instances have no state.

    Positions may yield their legal moves: those who ask get a sequence.
    """

    name: ClassVar[str]  # as typed on the command line: "end_of_the_track"
    title: ClassVar[str]  # as shown to people: "End of the Track"
    line: ClassVar[str] = ""  # the rules in a sentence of a hundred characters, shown beside its matches
    seats: ClassVar[tuple[str, ...]]  # seat names in order of play: ("black", "white")
    options_type: ClassVar[type[Options]]
    rating_settings: ClassVar[tuple[str, ...]] = ()  # settings that make another game of it, with its own ratings
    uneven_settings: ClassVar[tuple[str, ...]] = ()  # settings that may favour a seat, as a handicap: then unrated
    hard: ClassVar[Mapping[str, Any]] = {}  # settings of random instances that separate strong bots, for ladders
    gestures: ClassVar[Gestures[Any, Any] | None] = None  # how people make moves by touch; None: by name
    exchanged_as: ClassVar[Literal["pgn", "sgf"] | None] = None  # the form in which other programs read matches
    has_draws: ClassVar[bool] = True  # False: no match ends in a draw, so that people cannot agree on one either
    anytime: ClassVar[bool] = False  # a race in which every move is a whole solution, and the best one counts

    def __init_subclass__(cls, **more: Any) -> None:
        super().__init_subclass__(**more)
        for name in ("start", "parse_state"):
            if name in vars(cls):
                setattr(cls, name, _with_sequences(vars(cls)[name]))

    @property
    def kind(self) -> Kind:
        """Return the kind by the number of seats: "race" for one, "duel" for two, "table" for more."""
        return "race" if len(self.seats) == 1 else "duel" if len(self.seats) == 2 else "table"

    def about(self) -> str:
        """Return the rules for people, in Markdown: `about/NAME.md` beside the game's module, else its docstring."""
        module = sys.modules[type(self).__module__]
        try:
            return (files(module.__package__ or module.__name__) / "about" / f"{self.name}.md").read_text("utf-8")
        except (OSError, TypeError):
            return inspect.cleandoc(module.__doc__ or type(self).__doc__ or "")

    @abstractmethod
    def start(self, options: Any, seed: int = 0) -> S:
        """Return the first position. `options` is an instance of `options_type`; `seed` only affects random instances.

        Raises BadOption if options that are each in range do not fit together.
        """

    @abstractmethod
    def move_from_wire(self, value: object) -> MoveT:
        """Read a move from plain lists, ints and strings. Raises MalformedMove on anything else, quoting it."""

    @abstractmethod
    def move_to_wire(self, move: MoveT) -> Any:
        """Write a move as plain lists, ints and strings."""

    @abstractmethod
    def notation(self, state: S, move: MoveT) -> str:
        """Return the move as people write it in records: no white space, unique among the moves of `state`."""

    @abstractmethod
    def parse_notation(self, state: S, text: str) -> MoveT:
        """Read what `notation` wrote. Raises MalformedMove, quoting the text."""

    @abstractmethod
    def format_state(self, state: S) -> str:
        """Return the position as one line of text; it has all that the rules need, options and history included."""

    @abstractmethod
    def parse_state(self, text: str) -> S:
        """Read what `format_state` wrote. Raises BadPosition with the place and the reason."""

    def way(self, state: S) -> "tuple[S, Sequence[MoveT]] | None":
        """Return a first position and the moves that lead from it to `state`, if the state has them; else None."""
        del state
        return None

    def progress(self, state: S) -> Progress | None:
        """Return how far the game is, for adjudication by scores; None counts plies alone."""
        del state
        return None

    def read_state(self, text: str, options: Any = None) -> S:
        """Read a position that was typed, or written by another program, for a match with these options.

        By default it is what `parse_state` reads; a game whose positions have other usual forms reads these as well.
        Raises BadPosition, also for a position that the options do not allow.
        """
        return self.parse_state(text)

    @abstractmethod
    def render(self, state: S) -> str:
        """Return the position as a text board for terminals: several lines, with coordinates."""

    def instance(self, options: Any, seed: int = 0) -> dict[str, Any]:
        """Return settings that give the same first position for any seed: the random instance of `seed` is written out.

        A game without random instances returns its settings unchanged. Raises BadOption, and may take as long as
        `start`.
        """
        settings: dict[str, Any] = msgspec.to_builtins(options)
        return settings

    def scene(self, state: S) -> Scene | None:
        """Return the position as shapes on a grid, for pages that draw; None shows the text board instead."""
        return None

    def gesture(self, state: S, move: MoveT) -> Touches:
        """Return the touches that make the legal `move`: one cell of each set; empty if moves are chosen by name."""
        return () if self.gestures is None else self.gestures.touches(state, move)

    def forfeit(self, state: S, seat: int) -> S | Outcome:
        """Return the position or outcome after `seat` forfeits: a duel ends, a three-handed game may continue.

        In an anytime race this closes the race, and the submitted solution counts: the end of its time, a resignation
        ("I am done") and a crash differ only in the reason that the record gives.
        """
        return Outcome("forfeit", tuple(0.0 if i == seat else 1.0 for i in range(len(self.seats))))

    def no_better(self, state: S) -> S:
        """Return the position after a solution that is not better than the best one so far.

        For anytime races: their records keep only the fact that such a solution was submitted.
        """
        return state

    def cost(self, state: S) -> float | None:
        """Return the cost of the solution in `state`, in a race, lower is better; None while there is no solution.

        A race without a cost at its end is unsolved, and ranks below all entrants with a cost. No other game has a
        cost.
        """
        return None

    def lower_bound(self, state: S) -> float | None:
        """Return a proven lower bound of the cost of every solution of the instance in `state`; None if none is proven.

        For anytime races: an entrant whose solution costs no more than that is done. It depends on the instance only,
        not on time or chance, because records are verified with it. The referee calls it after each solution, so the
        first call may take 0.1 s at most, and later calls almost no time.
        """
        return None

    def encoding(self, options: Any) -> Any:
        """Return its `palio_rules.addons.encodings.Encoding` under `options`.

        None if an entry point names it, or none exists.

        Import numpy inside this method, because only programs that learn need it.
        """
        return None

    def parse_options(self, settings: Mapping[str, object]) -> Any:
        """Build `options_type` from names and values (strings from a command line are converted, lists as JSON).

        Raises BadOption, naming the option and the remedy, for an unknown name or a value out of range.
        """
        fields = _fields(self.options_type)
        for name in settings:
            if name not in fields:
                raise BadOption(f"{self.name} has no option {quoted(name)}; {nearest(name, fields)}")
        values = {}
        for name, value in settings.items():
            try:
                values[name] = _convert(value, fields[name].type)
            except msgspec.ValidationError as error:
                raise BadOption(f"{self.name} option {name}={quoted(value)}: {_lower(sentence(error))[:200]}") from None
            except RecursionError:
                raise BadOption(f"{self.name} option {name} is nested too deeply to be read") from None
            except UnicodeError:
                raise BadOption(f"{self.name} option {name}={quoted(value)} is no text: half a character") from None
        return self.options_type(**values)

    def leaderboard(self, options: Any) -> str:
        """Return the name of the leaderboard for these options: `go`, or `go:size=19` with what differs from its own.

        It is written like a game with settings, and has no other characters than these: it is part of addresses.
        """
        told = _differing(self.rating_settings, options)
        return str(Spec(self.name, {name: quote(_as_text(value), safe="") for name, value in told.items()}))

    def is_even(self, options: Any) -> bool:
        """Return whether no option favours a seat."""
        return not _differing(self.uneven_settings, options)

    def read_move(self, state: S, value: object) -> MoveT:
        """Return the checked move that `value` means in `state`, for referees. Raises Rejection with the reason."""
        try:
            move = self.move_from_wire(value)
        except RecursionError:
            raise MalformedMove("too-deep", "the move is nested too deeply to be read") from None
        state.check(move)
        return move


def _with_sequences(made: Callable[..., S]) -> Callable[..., S]:
    """Let the positions that `made` returns have their legal moves as a sequence."""

    @wraps(made)
    def positions(*words: Any, **named: Any) -> S:
        state = made(*words, **named)
        if type(state) not in _seen:
            _seen.add(type(state))
            with suppress(Exception):  # of a broken game, whose laws say so
                if not isinstance(state.legal_moves(), Sequence):
                    _list_moves(type(state))
        return state

    return positions


_seen: "WeakSet[type[Any]]" = WeakSet()  # classes of positions


def _list_moves(position: type[Any]) -> None:
    found = position.legal_moves

    @wraps(found)
    def legal_moves(state: Any) -> Moves[Any]:
        return Moves(partial(found, state))

    position.legal_moves = legal_moves


def _convert(value: object, kind: Any) -> Any:
    """Convert `value` to `kind`. Raises msgspec.ValidationError."""
    if not isinstance(value, str):
        return msgspec.convert(value, kind)
    try:
        return msgspec.convert(value, kind, strict=False)
    except msgspec.ValidationError as error:
        if not value.startswith("["):
            raise
        try:
            return msgspec.json.decode(value, type=kind)
        except msgspec.ValidationError:
            raise
        except (msgspec.DecodeError, UnicodeError):  # not JSON: report the first error, about the text
            raise error from None


def _differing(names: Sequence[str], options: Options) -> dict[str, Any]:
    """Return the values of those options among `names` that are not the default."""
    usual = type(options)()
    return {name: value for name in names if (value := getattr(options, name)) != getattr(usual, name)}


def _as_text(value: object) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


@cache
def _fields(options_type: type[Options]) -> dict[str, msgspec.structs.FieldInfo]:
    return {each.name: each for each in msgspec.structs.fields(options_type)}


def _lower(sentence: str) -> str:
    return sentence[:1].lower() + sentence[1:]
