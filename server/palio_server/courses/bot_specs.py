"""The SPECs of bots in a course's files, checked as far as can be known without running them."""

import inspect
import os
import typing
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import msgspec

from palio_rules.completing import BOT_SCHEMES, BOTS, bot_spec
from palio_rules.contract import engine_specs
from palio_rules.errors import BadOption, nearest, quoted, sentence
from palio_rules.spec import Spec
from palio_server.processes.entrants import Entrant

FOLDER = "{folder}"  # in an assignment's spec: the folder with a submission's files
HANDOUT = "handout"


def check_bot(text: str, folder: Path, game: str) -> None:
    """Raise BadOption for a bot of the staff that is not installed or cannot be made, or whose file is missing.

    Relative paths are relative to `folder`. `game` is the plain name of the game that it must play.
    """
    spec = Entrant.read("", text).spec
    head, colon, rest = spec.partition(":")
    if colon and entry_points(group=BOT_SCHEMES, name=head):
        _check_files(head, rest, folder)
    elif head.endswith(".py") or "/" in head:
        _check_file(head, folder)
    elif found := tuple(entry_points(group=BOTS, name=head)):
        _check_installed(found[0].load(), spec, game)
    else:
        raise _not_installed(head, folder)


def check_named(text: str, folder: Path) -> None:
    """Raise BadOption for a bot that is neither installed nor a file, a module's class or a scheme's; load nothing."""
    head, colon, _ = Entrant.read("", text).spec.partition(":")
    if head.endswith(".py") or "/" in head:
        _check_file(head, folder)
    elif not ("." in head or entry_points(group=BOTS, name=head) or (colon and _is_scheme(head))):
        raise _not_installed(head, folder)


def _is_scheme(head: str) -> bool:
    return bool(entry_points(group=BOT_SCHEMES, name=head))


def _not_installed(head: str, folder: Path) -> BadOption:
    known = [*entry_points(group=BOTS).names, *(f"{name}:" for name in entry_points(group=BOT_SCHEMES).names)]
    is_file = os.path.isfile(folder / f"{head}.py")  # noqa: PTH113  # which takes names of any length
    file = f"; for the file write ./{head}.py" if is_file else ""
    return BadOption(f"no bot called {quoted(head)} is installed; {nearest(head, known)}{file}")


def check_handout(name: str) -> None:
    """Raise BadOption unless the scheme `handout:` has a course of this name."""
    known = [each.removeprefix(f"{HANDOUT}:").removesuffix(":") for each in bot_spec(None, None, f"{HANDOUT}:")]
    if known and name not in known:
        raise BadOption(f"there is no handout {quoted(name)}; {nearest(name, known)}")


def spec_of_handout(name: str, files: tuple[str, ...]) -> str:
    """Return the SPEC of a submission in a handout's form: its one Python file, or the folder."""
    python = [file for file in files if file.endswith(".py")]
    one = python[0] if len(python) == 1 and not set("*?[") & set(python[0]) else ""
    return f"{HANDOUT}:{name}:{FOLDER}{f'/{one}' if one else ''}"


def check_spec(spec: str) -> None:
    """Raise BadOption for the SPEC of submissions' bots that names no folder, or begins with an unknown scheme."""
    if FOLDER not in spec:
        raise BadOption(f"{quoted(spec)} does not say where a submission is; write {FOLDER}, as in exec:{FOLDER}/bot")
    head, colon, _ = spec.partition(":")
    if FOLDER not in head and not (colon and entry_points(group=BOT_SCHEMES, name=head)):
        raise BadOption(f"{quoted(head)} begins no SPEC; {nearest(head, entry_points(group=BOT_SCHEMES).names)}")


def _check_files(scheme: str, rest: str, folder: Path) -> None:
    if scheme == HANDOUT:
        name, _, file = rest.partition(":")
        check_handout(name)
        _check_file(file.partition(":")[0], folder)
    elif scheme in ("exec", *engine_specs.SCHEMES):
        words = rest.partition(",")[0].split()
        for word in words:
            if word.startswith(("./", "../", "staff/")):
                _check_file(word, folder)


def _check_file(file: str, folder: Path) -> None:
    if not os.path.exists(folder / file):  # noqa: PTH110  # which takes names of any length
        raise BadOption(f"there is no file {quoted(file)} in {folder.name}; put it there, or correct the path")


def _check_installed(bot: Any, spec: str, game: str) -> None:
    """Raise BadOption for settings that an installed bot does not have or refuses, and for another game than its."""
    given = Spec.parse(spec)
    games = (bot.games,) if isinstance(bot.games, str) else tuple(bot.games)
    if games and game not in games:
        raise BadOption(f"{given.name} does not play {game}; it plays {', '.join(games)}")
    by_name = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    known = {each.name: each.default for each in inspect.signature(bot).parameters.values() if each.kind in by_name}
    hints = typing.get_type_hints(bot.__init__)
    values = {}
    for name, text in given.settings.items():
        if name not in known:
            raise BadOption(f"{given.name} has no setting {quoted(name)}; {nearest(name, known)}")
        usual = str if known[name] in (inspect.Parameter.empty, None) else type(known[name])
        values[name] = _value(f"{given.name}: {name}={text}", text, hints.get(name, usual))
    if lacking := [name for name, value in known.items() if value is inspect.Parameter.empty and name not in values]:
        raise BadOption(f"{given.name} needs the setting {lacking[0]}; write {given.name}:{lacking[0]}=VALUE")
    try:
        bot(**values)
    except ValueError as error:
        raise BadOption(f"{given.name} refuses its settings: {error}") from None
    except Exception as error:  # noqa: BLE001  # the bot's own
        why = " ".join(str(error).split())
        named = f"{type(error).__name__}{f': {why}' if why else ''}"
        raise BadOption(f"{given.name} cannot be made: {named}; correct the bot, or what it needs") from None


def _value(what: str, text: str, kind: Any) -> Any:
    """Return a setting in the type of the bot's constructor."""
    try:
        return msgspec.convert(text, kind, strict=False)
    except msgspec.ValidationError as error:
        raise BadOption(f"{what}: {sentence(error)[:1].lower()}{sentence(error)[1:]}") from None
    except TypeError:  # a type that no text gives
        return text
