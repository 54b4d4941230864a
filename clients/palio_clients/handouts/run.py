"""Play a student's file: `python -P -m palio_clients.handouts.run COURSE FILE [SETTING=VALUE ...]`.

It speaks the protocol of `palio_clients.stdio` on what were its stdin and stdout; the student's code finds an empty
stdin there, and what it prints goes to stderr. It runs in the main thread, one match to a process.
"""

import os
import queue
import sys
import threading
import time
import traceback
from collections.abc import Iterator
from math import inf
from pathlib import Path
from typing import Any, BinaryIO

from palio_clients.bot_settings import maker
from palio_clients.clock import Clock
from palio_clients.failures import BadBot, Resign
from palio_clients.handouts import adapters
from palio_clients.handouts.courses import Course, course_named
from palio_clients.handouts.coursework import Coursework, Unfit
from palio_clients.handouts.loading import load
from palio_clients.handouts.plain import info_of, plain
from palio_rules import messages, registry, wire
from palio_rules.errors import WireError
from palio_rules.spec import Spec
from palio_rules.wire import Encoding

LEAVE_S = 1.0  # what a thought may still take once nobody listens any more
MAX_TEXT = 8000  # characters of a traceback that travel
_OURS = (str(Path(__file__).parent), str(Path(adapters.__file__).parent), "<frozen ")


class Runner:
    """One match: messages in, messages out."""

    def __init__(self, course: Course, file: Path, settings: dict[str, str], say: BinaryIO) -> None:
        self._course, self._file = course, file
        self._make = maker(course.adapter, settings)
        self._pipe = say
        self._bot: Coursework
        self._rules: Any
        self._match = ""
        self._turn: messages.Turn | None = None
        self._deadline = inf  # of the turn, in monotonic seconds

    def run(self, lines: Iterator[bytes]) -> None:
        """Play until the match is over or given up."""
        for line in lines:
            message = wire.decode_from_server(line, Encoding.JSON)
            try:
                self._take(message)
            except Resign:
                return self._say(messages.Resign(self._match))
            except Unfit as error:
                return self._crashed(str(error))
            except (Exception, SystemExit, KeyboardInterrupt) as error:  # noqa: BLE001  # told to whoever wrote it
                return self._crashed(_traceback(error))
            if isinstance(message, messages.Over):
                return None
        return None

    def _take(self, message: messages.ServerMessage) -> None:
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
                self._bot.heard(message.seat, self._rules.move_from_wire(message.move))
            case _:
                return

    def _prepare(self, game: messages.GameMessage) -> None:
        self._match = game.match
        self._rules = registry.game(game.game)
        made = self._make()
        assert isinstance(made, Coursework)
        self._bot = made
        made.path, made.handout = self._file, self._course.path
        if not made.program:
            made.module = load(self._file, self._course.path)
        made.game, made.options, made.seat = self._rules, self._rules.parse_options(game.options), game.seat
        made.setup = self._rules.parse_state(game.setup)
        made.prepare(made.game, made.options, made.seat)
        self._say(messages.Ready(game.match))

    def _answer(self, turn: messages.Turn) -> None:
        state = self._rules.parse_state(turn.state)
        self._bot.told()
        move = plain(self._bot.choose(state, Clock(limit_ms=turn.limit_ms, deadline=self._deadline)))
        answer = messages.Move(turn.match, turn.id, move, info_of(self._bot.told()))
        try:
            wire.decode_from_bot(wire.encode(answer, Encoding.JSON), Encoding.JSON)
        except WireError as error:
            raise Unfit(f"{self._bot.file} returned a move that cannot be sent: {error}") from None
        self._say(answer)

    def _crashed(self, reason: str) -> None:
        print(reason, file=sys.stderr)  # noqa: T201  # its author may be watching
        self._say(messages.Error("crashed", reason[-MAX_TEXT:], match=self._match))

    def _say(self, message: messages.BotMessage) -> None:
        self._pipe.write(wire.encode(message, Encoding.JSON) + b"\n")
        self._pipe.flush()


def _traceback(error: BaseException) -> str:
    """The traceback as its author wants it: from the first frame that is not ours."""
    place = error.__traceback__
    while place and place.tb_next and place.tb_frame.f_code.co_filename.startswith(_OURS):
        place = place.tb_next
    return "".join(traceback.format_exception(type(error), error, place)).rstrip()


def private_pipes() -> tuple[BinaryIO, BinaryIO]:
    """What were stdin and stdout, for the protocol alone; the student's stdin is empty, and stdout is stderr."""
    ours = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(line_buffering=True, errors="backslashreplace")  # type: ignore[union-attr]  # they are text streams here
    return ours


def lines_of(pipe: BinaryIO) -> Iterator[bytes]:
    """The lines of a pipe, read by a thread: once it is closed, not even a thought without end keeps us alive."""
    heard: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()

    def read() -> None:
        for line in pipe:
            heard.put(line)
        heard.put(None)
        time.sleep(LEAVE_S)
        os._exit(1)

    threading.Thread(target=read, daemon=True).start()
    return iter(heard.get, None)


def main(arguments: list[str]) -> int:
    """Play; the exit code."""
    listen, say = private_pipes()
    try:
        course, file, *settings = arguments
        known = Spec.parse(f"file:{','.join(settings)}").settings if settings else {}
        runner = Runner(course_named(course), Path(file), dict(known), say)
    except (BadBot, ValueError) as error:
        print(f"{error}; {__doc__.splitlines()[0]}", file=sys.stderr)  # noqa: T201  # a command line is answered
        return 2
    runner.run(lines_of(listen))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
