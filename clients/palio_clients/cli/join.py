"""`palio join`: enter a bot on a server."""

import io
import json
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING
from urllib.parse import unquote

import click

from palio_clients.cli import Misuse
from palio_clients.cli.games import plain_names
from palio_clients.cli.printing import say, until_stopped
from palio_clients.sdk import events
from palio_rules.completing import bot_spec, game_spec
from palio_rules.contract.messages import GameMessage, Result
from palio_rules.plain_text import plain

if TYPE_CHECKING:
    from palio_clients.sdk.loader import Entrant


EXAMPLES = """
\b
Examples:
  palio join localhost:8000 ./mine.py
  palio join ws://127.0.0.1:8000 ./mine.py:Mine:depth=3 --name mine --slots 4
  palio join https://palio.example alpha_beta:depth=4 --token "$PALIO_TOKEN" --game breakthrough
  palio join ws://127.0.0.1:8000 'exec:./engine --level 3' --matches 10
  palio join ws://127.0.0.1:8000 ./mine.py --about 'Alpha-beta, written in one week.'
  palio join mqtt://mine:password@broker.example my_package.bots:Mine
"""


def _spec_given(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    """Refuse a command line with one argument; if that is no address, the URL is missing, and not SPEC."""
    if value is not None or ctx.resilient_parsing:
        return value
    from palio_clients.sdk.failures import BadBot  # noqa: PLC0415
    from palio_clients.sdk.transport import address  # noqa: PLC0415

    only = str(ctx.params.get("url") or "")
    try:
        address(only)
    except BadBot:
        raise Misuse(
            f"{only!r} is no address of a server; name the server first, as in `palio join localhost:8000 {only}`"
        ) from None
    raise click.MissingParameter(ctx=ctx, param=param)


@click.command(epilog=EXAMPLES)
@click.argument("url")
@click.argument("spec", required=False, metavar="SPEC", callback=_spec_given, shell_complete=bot_spec)
@click.option("--name", help="The bot's name on the server; by default made from SPEC.")
@click.option("--token", envvar="PALIO_TOKEN", show_envvar=True, help="What `palio bot add` printed for this name.")
@click.option("--about", default="", help="A line for the bot's page: how it plays, who has written it.")
@click.option(
    "--game",
    "games",
    metavar="GAME",
    multiple=True,
    callback=plain_names,
    shell_complete=game_spec,
    help="Play only this game, also of a file (./mygame.py:Nim); may be given several times.",
)
@click.option("--slots", type=click.IntRange(1, 256), default=1, show_default=True, help="Games at once.")
@click.option("--matches", type=click.IntRange(min=1), help="Leave after so many games.")
@click.option("--no-reconnect", is_flag=True, help="End when the connection is lost, with exit code 1.")
@click.option("--encoding", type=click.Choice(["msgpack", "json"]), default="msgpack", help="How messages travel.")
@click.option("--json", "as_json", is_flag=True, help="Print events as JSON, one a line.")
@click.option(
    "--first-game",
    metavar="GAME[:KEY=VALUE,...]",
    shell_complete=game_spec,
    help="Check an engine before it joins: it starts, has the options that are set, and plays this game.",
)
@click.option("--no-compile", is_flag=True, help="Join at once, and compile the bot's searches in its first game.")
@click.option("--engine-lines", is_flag=True, help="Print what engines are sent and say on stderr, with the time.")
@click.option("--quiet", "-q", is_flag=True, help="Print failures only.")
def join(
    *,
    url: str,
    spec: str,
    name: str | None,
    token: str | None,
    about: str,
    games: tuple[str, ...],
    slots: int,
    matches: int | None,
    no_reconnect: bool,
    encoding: str,
    as_json: bool,
    first_game: str | None,
    no_compile: bool,
    engine_lines: bool,
    quiet: bool,
) -> None:
    """Play as the bot SPEC on the server at URL until Ctrl-C.

    SPEC is the name of an installed bot (random, alpha_beta:depth=4), a file (./mine.py, ./mine.py:Mine:depth=3), a
    class (package.module:Mine), any program that speaks JSON lines (exec:./engine --flags), a student's file
    (handout:dominoes:./hw4.py), or a language model (llm:http://127.0.0.1:8080/v1,model=NAME); docs/reference/bots.md
    has the rest. URL is the server's address (ws, wss, http, https; ws+unix:///path/to.sock on the same machine;
    localhost:8000 is ws://localhost:8000) or a broker's (mqtt, mqtts). A connection that breaks is made again.
    """
    from palio_clients.sdk.events import run_in_loop  # noqa: PLC0415
    from palio_clients.sdk.failures import BadBot, ClientError  # noqa: PLC0415  # `palio --help` starts without sockets
    from palio_clients.sdk.join import build_of_spec  # noqa: PLC0415
    from palio_clients.sdk.join import join as play  # noqa: PLC0415
    from palio_rules.contract.codec import Encoding  # noqa: PLC0415

    if engine_lines:
        from palio_clients.sdk.traffic import show_lines  # noqa: PLC0415

        show_lines()
    try:
        entered = entrant(url, spec, name, games)
    except BadBot as error:
        raise Misuse(str(error)) from error
    if first_game is not None:
        entered = entered.checked_for(first_game)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(line_buffering=True)  # what a bot prints is seen at once, also through a pipe
    printer = EventPrinter(entered.name, quiet=quiet, as_json=as_json)
    playing = play(
        url,
        entered,
        token=token,
        slots=slots,
        matches=matches,
        reconnect=not no_reconnect,
        encoding=Encoding(encoding),
        only_failures=quiet,
        notify=printer,
        about=about,
        build=build_of_spec(spec),
        warm_up=not no_compile,
    )
    try:
        run_in_loop(until_stopped(playing))
    except BadBot as error:
        raise Misuse(str(error)) from error
    except ClientError as error:
        raise click.ClickException(str(error)) from error
    finally:
        printer.print_score()


def entrant(url: str, spec: str, name: str | None, games: Sequence[str]) -> "Entrant":
    """Return the bot SPEC for the server at `url`, under `name`, for `games` only. Raises BadBot with the remedy."""
    from palio_clients.sdk.loader import load  # noqa: PLC0415
    from palio_clients.sdk.transport import MQTT, address  # noqa: PLC0415

    parts = address(url)
    loaded = load(spec)
    user = unquote(parts.username) if parts.scheme in MQTT and parts.username else None
    return loaded.named(name or user or loaded.name).only(games)  # on a broker, a bot's name is its user name


# The printer of a bot's events: one line each, as text or as JSON.

Line = tuple[str, str, dict[str, object]]  # the event's name, a sentence, the fields for programs

_EVERY_PLY = frozenset({events.Think, events.MovePlayed})  # these are not printed


class EventPrinter:
    """A callback for `join(notify=...)`, which also counts the matches won, drawn and lost."""

    def __init__(
        self,
        name: str,
        *,
        quiet: bool = False,
        as_json: bool = False,
        print_trouble: Callable[[str], None] | None = None,
    ) -> None:
        """`print_trouble` takes sentences about failures, which are printed on stderr otherwise."""
        self._name, self._print_trouble = name, print_trouble
        self._quiet = quiet
        self._as_json = as_json
        self._games: dict[str, GameMessage] = {}
        self._won = self._drawn = self._lost = 0

    def __call__(self, notice: events.Notice) -> None:
        if type(notice) in _EVERY_PLY:
            return
        line = self._trouble(notice) or self._news(notice)
        if line is not None:
            self._print(line)
        if isinstance(notice, events.Welcomed) and notice.notice:
            self._print(("warning", f"warning: {notice.notice}", {"text": notice.notice}))

    def _print(self, line: Line) -> None:
        event, sentence, fields = line
        trouble = event in ("crashed", "fault", "complaint", "refused", "warning")
        if trouble or not self._quiet:
            text = json.dumps({"event": event, **fields}) if self._as_json else sentence
            own = event in ("crashed", "fault")  # sentences of a server stay in one line
            if trouble and self._print_trouble is not None:
                self._print_trouble(plain(text, lines=own))
            else:
                say(text, err=trouble and not self._as_json, lines=own)

    def print_score(self) -> None:
        """Print the last line: matches won, drawn and lost."""
        total = self._won + self._drawn + self._lost
        if total and not self._quiet and not self._as_json:
            plural = "game" if total == 1 else "games"
            say(f"played {total} {plural}: {self._won} won, {self._drawn} drawn, {self._lost} lost")

    def _news(self, notice: events.Notice) -> Line | None:
        match notice:
            case events.Welcomed(session, server, resumed):
                state = "the session goes on" if resumed else "welcome"
                return "welcome", f"{server}: {state}", {"session": session, "server": server, "resumed": resumed}
            case events.Connected(url):
                return "connected", f"connected to {url} as {self._name}", {"url": url, "name": self._name}
            case events.Disconnected(reason, retry):
                return "disconnected", f"{reason}; trying again in {retry:.1f} s", {"reason": reason, "retry_s": retry}
            case events.ServerStops(reason, back):
                return "stopping", f"the server stops: {reason}", {"reason": reason, "back_s": back}
            case events.GameBegins(match, game):
                return self._begins(match, game)
            case events.MatchOver(match, result):
                return self._over(match, result)
            case events.MoveRejected(match, rejected):
                sentence = (
                    f"match {match}: the move is rejected: {rejected.reason} ({rejected.strikes_left} strikes left)"
                )
                return "rejected", sentence, {"match": match, "code": rejected.code, "reason": rejected.reason}
            case events.SeatAbsent(match, message) | events.SeatBack(match, message):
                what = "absent" if isinstance(notice, events.SeatAbsent) else "back"
                left = f"with {message.grace_ms / 1000:g} s of absence left"
                fields: dict[str, object] = {"match": match, "seat": message.seat, "grace_ms": message.grace_ms}
                return what, f"match {match}: the opponent is {what}, {left}", fields
            case events.Abandoned(match, reason):
                self._games.pop(match, None)
                return "abandoned", f"match {match}: gone: {reason}", {"match": match, "reason": reason}
            case _:
                return None

    def _trouble(self, notice: events.Notice) -> Line | None:
        match notice:
            case events.Refused(code, reason):
                return "refused", f"refused: {reason}", {"code": code, "reason": reason}
            case events.Crashed(match, text):
                sentence = f"match {match}: the bot has failed, the match is given up\n{text}"
                return "crashed", sentence, {"match": match, "text": text}
            case events.Fault(text, match):
                return "fault", f"match {match}: {text}" if match else text, {"match": match, "text": text}
            case events.Complaint(error):
                sentence = f"the server complains: {error.reason} ({error.code})"
                return "complaint", sentence, {"code": error.code, "reason": error.reason}
            case events.HelloWanted(reason):
                return "complaint", reason, {"code": "mystery", "reason": reason}
            case _:
                return None

    def _begins(self, match: str, game: GameMessage) -> Line:
        self._games[match] = game
        others = [seat.bot for i, seat in enumerate(game.seats) if i != game.seat]
        seat = game.seats[game.seat].name if game.seat < len(game.seats) else str(game.seat)
        sentence = f"match {match}: {game.game} as {seat}" + (f" against {' and '.join(others)}" if others else "")
        return "game", sentence, {"match": match, "game": game.game, "seat": game.seat, "opponents": others}

    def _over(self, match: str, result: Result) -> Line:
        game = self._games.pop(match, None)
        score = result.scores[game.seat] if game and game.seat < len(result.scores) else 0.0
        best = max(result.scores, default=0.0)
        how = "lost" if score < best else "drawn" if result.scores.count(best) > 1 else "won"
        self._won += how == "won"
        self._drawn += how == "drawn"
        self._lost += how == "lost"
        why = result.reason if result.termination == "rule" else f"{result.termination}: {result.reason}"
        why = result.rule_detail or why
        fields: dict[str, object] = {"match": match, "result": how, "scores": result.scores, "reason": result.reason}
        return "over", f"match {match}: {how} ({why})", {**fields, "termination": result.termination}
