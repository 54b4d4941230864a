"""The interface of a format of events, and formats by name. Others join through the entry-point group `palio.formats`.

    class King(Format):
        name, title, rules_type = "king", "King of the hill", KingRules

        def next(self, event: Event, most: int) -> list[Plan]: ...

A format is pure: an `Event` (entrants, encounters, results so far) goes in; next encounters, standings and "is it over"
come out. The same event gives the same answers, so that only entries, plans and results need to be kept.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any, ClassVar, Literal, get_args

import msgspec

from palio_db.event_values import Plan
from palio_rules.errors import BadOption, nearest, quoted, sentence
from palio_rules.spec import Spec
from palio_server.tournament.cards import Scoring
from palio_server.tournament.event import Encounter, Event
from palio_server.tournament.standing import Details, Standing
from palio_server.tournament.tie_breaks import checked

GROUP = "palio.formats"


# The games of a bot that does not come: forfeited when its grace is over, or only when nothing else can be played, or
# never.
Absence = Literal["forfeit", "last", "never"]


class FormatRules(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The settings that every format has. Each format's own rules extend these."""

    games_per_encounter: int | None = None  # None: one opening in all orders of the seats; a race: one heat
    scoring: Scoring = "games"  # every game counts, or an encounter as a whole: 1, 1/2 or 0 in a duel
    tie_breaks: tuple[str, ...] = ()  # the first one decides; () is the format's own choice
    rounds: int | None = None  # None: the format's own number


class Format(ABC):
    """A way to play an event. Instances are made by `format_of`, with rules of `rules_type`."""

    name: ClassVar[str]
    title: ClassVar[str]  # for people
    rules_type: ClassVar[type[FormatRules]] = FormatRules
    absence: ClassVar[Absence] = "forfeit"

    def __init__(self, rules: Any) -> None:
        self.rules = rules

    @property
    def settings(self) -> dict[str, Any]:
        """Its rules as plain values: `format_of` makes the same format of them."""
        found: dict[str, Any] = msgspec.to_builtins(self.rules)
        return found

    @abstractmethod
    def check(self, event: Event) -> None:
        """Raise BadOption, with the remedy, if these entrants cannot play this game in this format."""

    @abstractmethod
    def next(self, event: Event, most: int) -> list[Plan]:
        """Return the encounters to play next, at most about `most` (a round is never cut).

        [] if results are missing or it is over. Called again after each change, with the planned ones in `event`.
        """

    @abstractmethod
    def over(self, event: Event) -> bool:
        """Return True if it is decided; encounters that are still open are then called off."""

    @abstractmethod
    def standings(self, event: Event) -> list[Standing]:
        """Return the present standings, the first first; all entrants, each once."""

    @abstractmethod
    def tie_breaks(self, event: Event) -> Sequence[str]:
        """Return the names of the values in `Standing.tie_breaks`, in order."""

    def total(self, event: Event) -> int | None:
        """Return how many matches it will have in all, as far as can be said now; None if unknown."""
        del event
        return None

    def rounds_in_all(self, event: Event) -> int | None:
        """Return the number of its last round, as far as can be said now; None if unknown, or if it has no rounds."""
        del event
        return None

    def details(self, event: Event) -> Details:
        """Return the format's additions to standings and rounds."""
        del event
        return Details()

    def why(self, event: Event, encounter: Encounter) -> list[str]:
        """Return sentences that say why these meet. `event` may have later rounds than the encounter's."""
        del event
        return [f"{' and '.join(encounter.bots)} meet in round {encounter.plan.round} by the schedule."]

    def admits_late(self, event: Event) -> str:
        """Return why no bot can be entered now; "" if one can."""
        del event
        return f"a {self.title.lower()} has its entrants from the start"

    def extended(self, event: Event, rounds: int) -> "Format":
        """Return the same format with `rounds` rounds in all. Raises BadOption if that is not possible."""
        del event
        raise BadOption(f"--rounds {rounds} cannot be: {self.name} has as many rounds as it needs; leave --rounds out")


@cache
def _entries() -> dict[str, EntryPoint]:
    return {entry.name: entry for entry in entry_points(group=GROUP)}


def formats() -> tuple[str, ...]:
    """Return the names of all installed formats, sorted."""
    return tuple(sorted(_entries()))


@cache
def format_type(name: str) -> type[Format]:
    """Return the format called `name`. Raises BadOption, with the nearest known name."""
    known = name.replace("-", "_")
    entry = _entries().get(known)
    if entry is None:
        raise BadOption(f"unknown format {name!r}; {nearest(known, _entries())}")
    found: type[Format] = entry.load()
    return found


def setting_names(name: str) -> tuple[str, ...]:
    """Return the settings of the format called `name`. Raises BadOption, with the nearest known name."""
    return tuple(format_type(name).rules_type.__struct_fields__)


def format_of(name: str, settings: Mapping[str, Any] | None = None) -> Format:
    """Return the format called `name` under these rules, which may be text. Raises BadOption, with the nearest known
    name.
    """
    kind = format_type(name)
    known = {field.name: field.type for field in msgspec.structs.fields(kind.rules_type)}
    values: dict[str, Any] = {}
    for given, value in (settings or {}).items():
        key = given.replace("-", "_")
        if key not in known:
            raise BadOption(f"{kind.name} has no setting {given!r}; {nearest(key, known)}")
        values[key] = _setting(kind.name, key, value, known[key])
    checked(values.get("tie_breaks", ()))
    return kind(kind.rules_type(**values))


def _setting(name: str, key: str, value: Any, kind: Any) -> Any:
    """Return a setting, which may be text, in the type of the format."""
    if key == "tie_breaks" and isinstance(value, str):
        value = value.replace("+", ",").split(",")
    try:
        return msgspec.convert(value, kind, strict=False)
    except msgspec.ValidationError as error:
        if choices := [each for each in get_args(kind) if isinstance(each, str)]:
            raise BadOption(f"{name}: {key} {quoted(value)} is unknown; {nearest(str(value), choices)}") from None
        why = sentence(error)
        raise BadOption(f"{name}: {key} {quoted(value)} cannot be: {why[:1].lower()}{why[1:]}") from None


def format_from_spec(text: str) -> Format:
    """Return the format of `swiss` or `knockout:best_of=3,third_place=true`. Raises BadOption."""
    spec = Spec.parse(text)
    return format_of(spec.name, spec.settings)
