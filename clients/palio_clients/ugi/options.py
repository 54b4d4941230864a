"""The options of an engine: those that a spec sets, held against those that the engine says it has."""

from collections.abc import Iterable, Mapping

from palio_clients.sdk.failures import PlayerFailed
from palio_clients.ugi.lines import Offered
from palio_rules.errors import nearest, quoted


def commands(called: str, wanted: Mapping[str, str], offered: Iterable[Offered]) -> list[str]:
    """`setoption` lines. Raises PlayerFailed, naming option and remedy, for what the engine `called` so cannot be told.

    Names are alike whatever their case. `EvalFile=` sets an empty text, and presses a button.
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
