"""The words of one language of engines, and the options of an engine; the rest of the room serves every language."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from palio_clients.sdk.failures import PlayerFailed
from palio_rules.errors import nearest, quoted
from palio_rules.game import Game


@dataclass(frozen=True, slots=True)
class Offered:
    """An option that the engine has. `least` and `most` are a spin's, `choices` a combo's."""

    name: str
    kind: str
    default: str = ""
    least: int | None = None
    most: int | None = None
    choices: tuple[str, ...] = ()


Offers = Callable[[Game[Any, Any]], Sequence[str]]
Needs = Callable[[Game[Any, Any], Any, str, Sequence[Offered]], dict[str, str]]


def no_options(_rules: Game[Any, Any], _options: Any, _called: str, _offered: Sequence[Offered]) -> dict[str, str]:
    """Return {}: the language has no option that a game needs."""
    return {}


def no_offers(_rules: Game[Any, Any]) -> Sequence[str]:
    """Return (): the language has no option that tells a GUI about the game."""
    return ()


@dataclass(frozen=True, slots=True)
class Language:
    """The words of a language, and the seat that its first clock belongs to."""

    title: str  # "UGI", in sentences
    hello: str  # the first line to an engine; the answer ends with `hello`ok
    new_game: str
    players: tuple[str, str]  # ("p1", "p2"): before `time` and `inc` in `go`
    mate_in: Literal["plies", "moves"]  # the unit of `score mate`
    first: Callable[[Game[Any, Any], Any], int]  # the seat of the first player, from rules and first position
    ponders: bool = False  # our bots offer GUIs the option Ponder
    usual_game: str = ""  # that is meant where none is named
    game_option: str = ""  # of an engine, by which it is told another game
    needs: Needs = no_options  # options that an engine must be told for a game; raises PlayerFailed
    offers: Offers = no_offers  # `option` lines about a game, which our bots say to a GUI
    clock_names: Mapping[str, str] = field(default_factory=dict)  # that it reads as well, by its own names

    @property
    def scheme(self) -> str:
        """Return the word before the colon of a spec, which is the name of the command, too."""
        return self.hello

    @property
    def hello_answer(self) -> str:
        return f"{self.hello}ok"


# The options of an engine: those that a spec sets, compared with those that the engine says it has.


def commands(called: str, wanted: Mapping[str, str], offered: Iterable[Offered]) -> list[str]:
    """Return `setoption` lines for the engine `called` so. Raises PlayerFailed, with option and remedy, for a bad one.

    Names are compared without case. `EvalFile=` sets an empty text, and presses a button.
    """
    known = {option.name.casefold(): option for option in offered}
    lines = []
    for name, value in wanted.items():
        option = known.get(name.casefold())
        if option is None:
            names = [each.name for each in known.values()]
            raise PlayerFailed(f"{called} has no option {quoted(name)}; {nearest(name, names)}")
        _check(called, option, value)
        lines.append(f"setoption name {option.name}" + ("" if option.kind == "button" else f" value {value}".rstrip()))
    return lines


def _check(called: str, option: Offered, value: str) -> None:
    where = f"{called} option {option.name}={quoted(value)}"
    if option.kind == "check" and value not in ("true", "false"):
        raise PlayerFailed(f"{where}: it is switched by true or false")
    if option.kind == "combo" and option.choices and value not in option.choices:
        raise PlayerFailed(f"{where}: {nearest(value, option.choices)}")
    if option.kind != "spin":
        return
    try:
        number = int(value)
    except ValueError:
        raise PlayerFailed(f"{where}: it is a whole number") from None
    if option.least is not None and number < option.least:
        raise PlayerFailed(f"{where}: the least is {option.least}")
    if option.most is not None and number > option.most:
        raise PlayerFailed(f"{where}: the most is {option.most}")
