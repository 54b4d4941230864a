"""Play a student's file: `python -P -m palio_clients.handouts.run [--in WORK] COURSE FOLDER FILE [SETTING=VALUE ...]`.

It plays one match on its stdin and stdout, see `palio_clients.sdk.program`: the student's code finds an empty stdin,
and what it prints goes to stderr. That code runs in the main thread, so that it may do all that a program may, and in
WORK.
"""

import sys
import time
from collections.abc import Iterable
from math import inf
from pathlib import Path
from typing import Any

from palio_clients.handouts.courses import course_named
from palio_clients.handouts.coursework import Coursework, Unfit, plain
from palio_clients.handouts.entering import Entry, spec_of_root
from palio_clients.handouts.executable import enter
from palio_clients.handouts.imports import remedy
from palio_clients.handouts.loading import load
from palio_clients.sdk.bot import maker
from palio_clients.sdk.clock import Clock
from palio_clients.sdk.failures import BadBot, Resign, traceback_text
from palio_clients.sdk.player import info_of
from palio_clients.sdk.program import Pipe
from palio_rules import registry
from palio_rules.contract import codec as wire
from palio_rules.contract import messages
from palio_rules.contract.codec import Encoding
from palio_rules.errors import WireError
from palio_rules.spec import Spec

_OURS = (str(Path(__file__).parent), "<frozen ")


class CourseworkRunner:
    """One match: messages in, messages out."""

    def __init__(self, course: str, entry: Entry, settings: dict[str, str], pipe: Pipe) -> None:
        self._name, self._course, self._entry = course, course_named(course), entry
        self._make = maker(self._course.adapter, settings)
        self._pipe = pipe
        self._bot: Coursework
        self._rules: Any
        self._match = ""
        self._turn: messages.Turn | None = None
        self._deadline = inf  # of the turn, in monotonic seconds

    def run(self, received: Iterable[messages.ServerMessage]) -> None:
        """Play until the match is over or resigned."""
        for message in received:
            try:
                self._handle(message)
            except Resign:
                return self._pipe.send(messages.Resign(self._match))
            except Unfit as error:
                return self._pipe.crashed(self._match, str(error))
            except (Exception, SystemExit, KeyboardInterrupt) as error:  # noqa: BLE001  # its author reads it
                above = spec_of_root(error, self._entry, self._name)
                told = [traceback_text(error, _OURS), above or remedy(error)]
                return self._pipe.crashed(self._match, "\n".join(filter(None, told)))
            if isinstance(message, messages.Over):
                return None
        return None

    def _handle(self, message: messages.ServerMessage) -> None:
        match message:
            case messages.GameMessage():
                self._prepare(message)
            case messages.Turn():
                limit = message.limit_ms
                self._turn, self._deadline = message, inf if limit is None else time.monotonic() + limit / 1000
                self._answer(message)
            case messages.Rejected(strikes_left=left) if left and self._turn is not None:
                self._answer(self._turn)
            case messages.Played():
                self._bot.seat_played(message.seat, self._rules.move_from_wire(message.move))
            case _:
                return

    def _prepare(self, game: messages.GameMessage) -> None:
        self._match = game.match
        self._rules = registry.game(game.game)
        made = self._make()
        assert isinstance(made, Coursework)
        self._bot = made
        (made.root, made.path), made.handout = self._entry, self._course.path
        if not made.program:
            made.module = load(self._entry, self._course.path)
        made.game, made.options, made.seat = self._rules, self._rules.parse_options(game.options), game.seat
        made.setup = self._rules.parse_state(game.setup)
        made.prepare(made.game, made.options, made.seat)
        self._pipe.send(messages.Ready(game.match))

    def _answer(self, turn: messages.Turn) -> None:
        state = self._rules.parse_state(turn.state)
        self._bot.told()
        move = plain(self._bot.choose(state, Clock(limit_ms=turn.limit_ms, deadline=self._deadline)))
        answer = messages.Move(turn.match, turn.id, move, info_of(self._rules, state, self._bot.told()))
        try:
            wire.decode_from_bot(wire.encode(answer, Encoding.JSON), Encoding.JSON)
        except WireError as error:
            raise Unfit(f"{self._bot.file} returned a move that cannot be sent: {error}") from None
        self._pipe.send(answer)


def main(arguments: list[str]) -> int:
    pipe = Pipe()
    try:
        folder, arguments = (arguments[1], arguments[2:]) if arguments[:1] == ["--in"] else ("", arguments)
        course, root, file, *settings = arguments
        known = dict(Spec.parse(f"file:{','.join(settings)}").settings) if settings else {}
        entry = Entry(Path(root), Path(root, file))
        runner = CourseworkRunner(course, entry, known, pipe)
        if folder:
            enter(Path(folder), entry.file)
    except (BadBot, ValueError, IndexError, OSError) as error:
        print(f"{error}; {__doc__.splitlines()[0]}", file=sys.stderr)  # noqa: T201  # a command line prints its error
        return 2
    runner.run(pipe.messages())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
