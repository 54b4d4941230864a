"""From `policy:module:Class` to a bot: the policy may be a class, an object or a function, of a module or of a file.

policy:my_policy:Policy                           a class of an importable module, or of my_policy.py here
policy:./policy.py:Policy:path=weights.npz,seed=3  one of a file, with settings: arguments of its constructor
policy:./policy.py                                the one policy class in a file, or the one object with act or predict
policy:my_package.models:load                     an object that is there when the module has been imported
"""

import os
import sys
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

from palio_clients.addons.policies.bot import PolicyBot, decides, is_policy
from palio_clients.sdk.bot import maker
from palio_clients.sdk.failures import BadBot
from palio_clients.sdk.loader import Entrant, module_named, unused, usual_name
from palio_clients.sdk.player import BotPlayer
from palio_rules import registry
from palio_rules.completing import completed_by, has_suffix, paths
from palio_rules.errors import BadOption, nearest, quoted
from palio_rules.spec import Spec


def completions(typed: str) -> list[str]:
    """Complete a spec that names a file; a policy's class may have any name."""
    return paths(typed, fits=has_suffix(".py")) if ":" not in typed else []


@completed_by(completions)
def policy(spec: str) -> Entrant:
    """The bot that `policy:` and `spec` name. Raises BadBot: one sentence with the remedy.

    The policy is made once at the start, so that what is wrong with its weights is said before anything is played; the
    first match takes this one, every other match one of its own.
    """
    head, _, rest = spec.partition(":")
    if not head:
        raise BadBot(f"{quoted('policy:' + spec)} names no policy; write policy:./file.py:Class or policy:module:Class")
    name, _, settings = rest.partition(":") if ":" in rest or "=" not in rest else ("", "", rest)
    found, called = _choose(_module(head), name, head)
    try:
        known = dict(Spec.parse(f"policy:{settings}").settings) if settings else {}
    except BadOption as error:
        raise BadBot(str(error)) from None
    make = _making(found, called, known)
    spare = [make()]
    played = _games(spare[0], called)
    return Entrant(
        usual_name(f"policy:{spec}"),
        played,
        lambda report: BotPlayer(lambda: PolicyBot(spare.pop if spare else make), report, PolicyBot),
        without=unused(PolicyBot),
        about=str(getattr(spare[0], "about", "")),
    )


def _module(head: str) -> ModuleType:
    """The module, which may lie in the folder in which we are."""
    top = head.partition(".")[0]
    here = os.path.isfile(f"{top}.py") or os.path.isdir(top)  # noqa: PTH112, PTH113  # False for what is no file's name
    if here and top.isidentifier() and head.replace(".", "").isidentifier() and top not in sys.modules:
        sys.path.append(str(Path.cwd()))  # at the end: an installed package of that name comes first
        if find_spec(top) is None:
            sys.path.pop()
    return module_named(head)


def _choose(module: ModuleType, name: str, where: str) -> tuple[Any, str]:
    """Return the policy called `name` in the module, or its only one, with its name for messages."""
    own = {key: value for key, value in vars(module).items() if not key.startswith("_") and is_policy(value)}
    if name:
        if name in vars(module) and name not in own:
            what = f"{quoted(name)} in {where} is no policy"
            raise BadBot(f"{what}; give it a method act(self, observation, action_mask)")
        if name not in own:
            raise BadBot(f"{where} has no policy called {quoted(name)}; {nearest(name, own)}")
        return own[name], name
    found = [key for key, value in own.items() if isinstance(value, type) and value.__module__ == module.__name__]
    parents = {parent for key in found for parent in own[key].__mro__[1:]}
    found = [key for key in found if own[key] not in parents]
    if not found:  # the file may say no more than `model = MaskablePPO.load("model.zip")`
        found = [key for key, value in own.items() if not isinstance(value, type) and decides(value)]
    if not found:
        raise BadBot(f"{where} has no policy; write a class with a method act(self, observation, action_mask)")
    if len(found) > 1:
        choices = " or ".join(f"policy:{where}:{key}" for key in sorted(found))
        raise BadBot(f"{where} has {len(found)} policies; choose one: {choices}")
    return own[found[0]], found[0]


def _making(found: Any, called: str, settings: Mapping[str, str]) -> Callable[[], Any]:
    """Return a function that makes the policy of a match; an object or a function is shared by all matches."""
    if not isinstance(found, type):
        if settings:
            raise BadBot(f"{called} is no class, and so has no settings; leave out {', '.join(settings)}")
        return lambda: found
    make = maker(found, settings)

    def made() -> Any:
        try:
            return make()
        except BadBot:
            raise
        except Exception as error:
            told = ", ".join(f"{name}={value}" for name, value in settings.items())
            raise BadBot(f"{called}({told}) cannot be made: {type(error).__name__}: {error}") from error

    return made


def _games(made: Any, called: str) -> tuple[str, ...]:
    """The games that the policy says it plays, or else all that can be encoded."""
    try:
        from palio_rules.addons.encodings import encoding_of  # noqa: PLC0415  # numpy is loaded where a policy plays only
    except ImportError as error:
        raise BadBot(str(error)) from None
    wanted = getattr(made, "games", ())
    wanted = (wanted,) if isinstance(wanted, str) else tuple(wanted)
    playable, refused = [], ""
    for name in wanted or registry.games():
        try:
            rules = registry.game(name)
            encoding_of(rules, rules.parse_options({}))
        except BadOption as error:
            refused = str(error)
            if wanted:
                raise BadBot(f"{called}.games: {error}") from None
        else:
            playable.append(name)
    if not playable:
        raise BadBot(f"{called} has no game to play: {refused}")
    return tuple(playable)
