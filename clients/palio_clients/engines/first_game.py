"""The check of an engine before its first game: it starts, has the options that are set, and plays the game."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from palio_clients.engines.language import Language, Offered, commands
from palio_clients.engines.player import READY_S
from palio_clients.engines.process import Start, start_engine
from palio_clients.engines.started import StartedEngine, greet
from palio_clients.sdk.failures import BadBot, ClientError, PlayerFailed
from palio_clients.sdk.traffic import overhearing
from palio_rules.errors import BadOption
from palio_rules.game import Game
from palio_rules.registry import game_from_spec


async def checked(
    language: Language,
    argv: Sequence[str],
    called: str,
    options: Mapping[str, str],
    game: str,
    start: Start = start_engine,
) -> StartedEngine:
    """Return the engine, started and greeted, which can play `game`, a name with settings.

    Raises BadBot with all that is wrong about its options, and ClientError if it cannot be started or does not answer.
    """
    try:
        engine = await start(argv, called)
    except PlayerFailed as error:
        raise ClientError(str(error)) from None
    engine.overheard = overhearing("")
    try:
        async with asyncio.timeout(READY_S):
            offered = await greet(engine, language)
    except (TimeoutError, PlayerFailed) as error:
        late = f"{called} has not answered `{engine.asked}` within {READY_S:g} s; {engine.words}"
        await engine.end_program()
        raise ClientError(str(error) or late) from None
    if faults := wrong_options(language, called, options, offered, game):
        await engine.end_program()
        raise BadBot("; ".join(faults))
    return StartedEngine(engine, offered)


def wrong_options(
    language: Language, called: str, options: Mapping[str, str], offered: Sequence[Offered], game: str
) -> list[str]:
    """Return a sentence for each option that the engine has not or refuses, and for a game that it does not play."""
    faults = []
    for name, value in options.items():
        try:
            commands(called, {name: value}, offered)
        except PlayerFailed as error:
            faults.append(str(error))
    rules = _rules(game)
    if rules is not None:
        try:
            language.needs(*rules, called, offered)
        except PlayerFailed as error:
            faults.append(str(error))
    return faults


def _rules(game: str) -> tuple[Game[Any, Any], Any] | None:
    """Return the rules and options; None for a game that is not known here, as one of a file in a sandbox."""
    try:
        return game_from_spec(game)
    except BadOption:
        return None
