"""GTP, the Go Text Protocol, version 2: the language of programs that play Go, as GNU Go, Pachi and KataGo.

`gtp:gnugo --mode gtp` is a bot for Go. `palio_rules.contract.engine_specs` splits the text. What is for us:

restart=on               each match has a process of its own; without it the engine stays for the next one
show=stderr              viewers see the last line that it writes on stderr, and what it tells GoGui

An engine has no other settings by GTP: they stand in its command.
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import AbstractContextManager, asynccontextmanager
from typing import Any

from palio_clients.checks.subject import CheckResult
from palio_clients.engines import spec
from palio_clients.engines.gtp_check import GtpCheck
from palio_clients.engines.gtp_player import GO, READY_S, GtpPlayer, GtpSettings
from palio_clients.engines.gtp_talk import GtpTalk
from palio_clients.engines.process import Start, start_engine
from palio_clients.sdk.failures import BadBot, ClientError, PlayerFailed
from palio_clients.sdk.loader import Entrant, Make, usual_name
from palio_clients.sdk.player import Report
from palio_clients.sdk.traffic import overhearing
from palio_rules.completing import completed_by, programs, starting
from palio_rules.contract.engine_specs import GTP, RESTART, SHOW, parts_of
from palio_rules.errors import BadOption, quoted
from palio_rules.game import Game
from palio_rules.registry import game_from_spec

SETTINGS = (RESTART, SHOW)


def completions(typed: str) -> list[str]:
    """Complete a spec: the program, its arguments, and the words for us."""
    command, comma, setting = typed.rpartition(",")
    if comma:
        return starting(SETTINGS, setting, f"{command},")
    ahead, space, last = typed.rpartition(" ")
    return programs(typed) + (starting(SETTINGS, last, f"{ahead} ") if space else [])


@completed_by(completions)
def engine(text: str) -> Entrant:
    """Return the bot that `gtp:` and `text` name. Raises BadBot: one sentence with the remedy."""
    return entrant(text)


def entrant(text: str, start: Start = start_engine) -> Entrant:
    """Return the bot of an engine that speaks GTP; `start` starts it. Raises BadBot."""
    argv, settings = read_spec(text)
    command = spec.command_of(GTP, argv)

    @asynccontextmanager
    async def staying(game: str | None = None) -> AsyncIterator[Make]:
        waiting: list[GtpTalk] = []
        if game is not None:
            waiting.append(await _checked(command, argv[0], game, start))
        try:
            if not settings.stays:
                await asyncio.gather(*(each.engine.end_program() for each in waiting))
                yield make
                return
            yield lambda report: GtpPlayer(command, settings, report, argv[0], waiting, start)
        finally:
            await asyncio.gather(*(each.engine.end_program() for each in waiting))

    def make(report: Report) -> GtpPlayer:
        return GtpPlayer(command, settings, report, argv[0], start=start)

    def checks(game: str, patience: float, begins: Callable[[str], None]) -> AsyncGenerator[CheckResult, None]:
        return GtpCheck(command, argv[0], game, patience).results(begins)

    def judging(rules: Game[Any, Any], options: Any) -> AbstractContextManager[Any]:
        from palio_clients.engines.gtp_solver import judging_engine  # noqa: PLC0415 - loads the searches

        return judging_engine(command, argv[0], rules, options)

    return Entrant(
        usual_name(f"{GTP}:{text}"),
        (GO,),
        make,
        own_process=True,
        without=("moves",),  # an engine has rules of its own
        strict=True,
        staying=staying if settings.stays else None,
        staying_for=staying,
        checks=checks,
        judging=judging,
    )


async def _checked(command: list[str], called: str, game: str, start: Start) -> GtpTalk:
    """Return the engine, started and greeted, for a game with settings.

    Raises BadBot if it does not play on this board, and ClientError if it cannot be started or does not answer.
    """
    try:
        engine = await start(command, called)
    except PlayerFailed as error:
        raise ClientError(str(error)) from None
    engine.overheard = overhearing("")
    talk = GtpTalk(engine)
    try:
        async with asyncio.timeout(READY_S):
            await talk.greet()
            _, options = game_from_spec(game)
            answer = await talk.ask(f"boardsize {options.size}")
    except (TimeoutError, PlayerFailed, BadOption) as error:
        sentence = str(error) or talk.not_ready(READY_S)
        await engine.end_program()
        raise ClientError(sentence) from None
    if not answer.good:
        await engine.end_program()
        size = options.size
        said = f"it answers `boardsize {size}` with `? {answer.text[:120]}`"
        raise BadBot(f"{called} does not play on {size}x{size}: {said}")
    return talk


def read_spec(text: str) -> tuple[list[str], GtpSettings]:
    """Return the command's words, and what is for us. Raises BadBot."""
    try:
        argv, words = parts_of(GTP, text)
    except BadOption as error:
        raise BadBot(str(error)) from None
    stays, shows = True, False
    for word in words:
        value = word.partition("=")[2]
        if word.startswith(RESTART):
            if value not in ("on", "off"):
                raise BadBot(f"{GTP}: {quoted(word)}: write restart=on or restart=off")
            stays = value == "off"
        elif word.startswith(SHOW):
            if value != "stderr":
                raise BadBot(f"{GTP}: {quoted(word)}: write show=stderr")
            shows = True
        else:
            raise BadBot(f"{GTP}: {quoted(word)}: GTP has no such setting; give the engine a flag in its command")
    return argv, GtpSettings(stays, shows)
