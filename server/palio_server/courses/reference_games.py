"""A submission's games against a bot of the staff: a small private tournament, played by `palio run` as a process.

The process has its database in a folder of its own. It can be ended at any time, and leaves nothing behind. Openings
are drawn by the assignment's seed; bots play each opening in all seats.

Moves cost the processor time of the bots' programs (`match/turn_time.py`), and time for which programs wait for a
processor counts nowhere. Games that other work on the machine has decided are played again.
"""

import asyncio
import json
import os
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from math import factorial
from pathlib import Path
from typing import Any

import msgspec

from palio_rules.errors import BadOption
from palio_rules.interpreter import python
from palio_rules.records.fault_kinds import with_kinds
from palio_rules.records.record import Record
from palio_rules.registry import game as rules_of
from palio_rules.temporary import TemporaryFolder
from palio_rules.time_control import UNLIMITED
from palio_server.courses.other_user import as_user, give, other_user
from palio_server.courses.values import Assignment, Part, Reference
from palio_server.match.turn_time import MACHINE_BUSY, STARVED_TIMES, own_s
from palio_server.processes.bot_process import GOODBYE_S, end_for_certain
from palio_server.processes.bots import NOT_JOINED
from palio_server.processes.program_time import ProgramTime
from palio_server.processes.tether import tethered
from palio_server.sandbox.bubblewrap import size_text
from palio_server.sandbox.confinement import Confinement

NAME, OPPONENT = "submission", "reference"
OPENING_PLIES = 2  # random plies before the bots take over, in games with several seats
NOT_STARTED = "did not start"  # as `palio run --json` says it
SLOW = ("not ready", "disconnected")  # faults that a machine can cause which gives no time
TRIES = 4  # at games that the machine decides
LOOK_S = 1.0  # between two looks at the time of the games
MEASURED = sys.platform == "linux"  # elsewhere the wall's time counts
TOLD = 3  # faults that are told
OUTPUT = 8000  # bytes of what the submission printed
PALIO = ("-c", "from palio_server.cli import main; main()")


@dataclass(frozen=True, slots=True)
class PlayedGames:
    """The result of the games. `points` are the submission's, of `games` that were to be played."""

    points: Fraction
    games: int
    matches: tuple[str, ...] = ()
    faults: tuple[str, ...] = ()  # of the submission, in the referee's words
    unplayable: str = ""  # why it could not be started
    timed_out: bool = False  # points hung on time: moves came too late, or the games were not finished
    seconds: float = 0.0
    said: str = ""


async def play(
    assignment: Assignment,
    submission: Path,
    opponent: str,
    games: int,
    confinement: Confinement,
    *,
    seconds: float,
    records: Path | None = None,
) -> PlayedGames:
    """Let the `submission` play `games`, or a few more, against `opponent`, a SPEC, within `seconds`.

    The records of the games are appended to the file `records`. Raises BadOption if the game, the opponent or the
    clock cannot be used, or the machine is too busy.
    """
    begun = time.monotonic()
    for _ in range(TRIES):
        run = await _run(assignment, submission, opponent, games, confinement, seconds)
        if not run.was_starved:
            if records is not None:
                with records.open("ab") as kept:
                    kept.write(run.records)
            return _result(run, seconds=time.monotonic() - begun)
        if not run.finished:
            break
    remedy = "check fewer submissions at once (palio serve --check-slots), or elsewhere"
    raise BadOption(f"the machine is too busy for the games against {opponent}; {remedy}")


@dataclass(frozen=True, slots=True)
class _Run:
    """The games of one `palio run`; of a run that was not `finished`, those that were."""

    games: int
    records: bytes  # lines of JSON
    faults: Sequence[Mapping[str, Any]]
    finished: bool
    starved: bool  # its programs waited for a processor most of the time
    said: str  # by the submission

    @property
    def played(self) -> list[dict[str, Any]]:
        return list(_lines(self.records))

    @property
    def ours(self) -> list[Mapping[str, Any]]:
        """The faults of the submission."""
        return [fault for fault in self.faults if fault["bot"] == NAME]

    @property
    def was_starved(self) -> bool:
        """True if the machine, and not the bots, may have decided games."""
        if any(record["result"]["reason"] == MACHINE_BUSY for record in self.played):
            return True
        return self.starved and (not self.finished or any(map(_is_slow, self.faults)))


async def _run(
    assignment: Assignment, submission: Path, opponent: str, games: int, confinement: Confinement, seconds: float
) -> _Run:
    seats = len(rules_of(assignment.game.partition(":")[0]).seats)
    each = factorial(seats)
    rounds = -(-games // each)
    with TemporaryFolder("check") as folder:
        command = _command(assignment, submission, opponent, seats, rounds, confinement, folder)
        user = await asyncio.to_thread(other_user, confinement, assignment.folder)
        give(folder, user)
        process = await asyncio.create_subprocess_exec(
            *tethered(GOODBYE_S, *as_user(user, command)),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env={**os.environ, "TMPDIR": str(folder), **({} if user is None else {"HOME": str(folder)})},
            cwd=assignment.folder,
            start_new_session=True,
        )
        output, watch = asyncio.create_task(process.communicate()), _Watch(process.pid)
        try:
            await watch.until_over(output, seconds)
            finished = output.done()
        finally:
            await end_for_certain(process)
            out, err = await output
        report = _report(out) if finished else None
        if finished and report is None:
            raise BadOption(_last_line(err) or f"the games against {opponent} could not be played")
        records, said = folder / "records.jsonl", _printed(folder)
        kept = records.read_bytes() if records.is_file() else b""
    here = f"{submission}/"  # a copy, which is removed
    faults = (report or {}).get("faults", ())
    for fault in faults:
        fault["sentence"] = fault["sentence"].replace(here, "")
        if fault["bot"] != NAME and fault["reason"] == NOT_STARTED:
            raise BadOption(f"the reference bot {opponent} cannot play: {fault['sentence']}")
    return _Run(rounds * each, kept, faults, finished, watch.is_starved, said.replace(here, ""))


def _is_slow(fault: Mapping[str, Any]) -> bool:
    """Return True for a fault that a busy machine can cause."""
    return fault["reason"] in SLOW or NOT_JOINED in fault["sentence"]


class _Watch:
    """The time of the games: their own is that in which their programs did not wait for a processor."""

    def __init__(self, pid: int) -> None:
        self._pid, self._begun, self._time = pid, time.monotonic(), ProgramTime()
        self._ran = self._waited = 0.0

    @property
    def is_starved(self) -> bool:
        return self._waited > (time.monotonic() - self._begun) / 2

    async def until_over(self, output: asyncio.Task[Any], seconds: float) -> None:
        """Return when there is the `output`, or the time is over: their own `seconds`, and some more by the wall."""
        while not output.done():
            if MEASURED:
                self._ran, self._waited = await asyncio.to_thread(self._time.read, [self._pid])
            wall_s = time.monotonic() - self._begun
            if own_s(wall_s, self._ran, self._waited) >= seconds or wall_s >= STARVED_TIMES * seconds:
                return
            await asyncio.wait({output}, timeout=min(LOOK_S, seconds))


def _command(
    assignment: Assignment,
    submission: Path,
    opponent: str,
    seats: int,
    rounds: int,
    confinement: Confinement,
    folder: Path,
) -> list[str]:
    opponents = [f"{OPPONENT}{'' if number == 1 else number}={opponent}" for number in range(1, max(seats, 2))]
    by_move = assignment.clock.replace(".", "", 1).isdigit()
    limits = confinement.limits
    return python(
        *(*PALIO, "run", assignment.game, f"{NAME}={spec_of(assignment, submission)}", *opponents),
        *("--rounds", str(rounds), "--seed", str(assignment.seed), "--st" if by_move else "--tc", assignment.clock),
        *(("--clock", "processor") if MEASURED and assignment.clock != UNLIMITED else ()),
        *(() if seats == 1 else ("--openings", str(OPENING_PLIES))),
        *("--broken", "forfeit", "--max-crashes", "0", "--concurrency", "1", "--json"),
        *("--sandbox", confinement.mode, "--memory", size_text(limits.memory), "--processes", str(limits.processes)),
        *("--db", f"sqlite:///{folder / 'games.db'}", "--records", str(folder / "records.jsonl")),
    )


def spec_of(assignment: Assignment, submission: Path) -> str:
    """Return the SPEC of the bot in the folder `submission`."""
    return assignment.spec.replace("{folder}", str(submission))


def read_games(file: Path, submission: str) -> list[Record]:
    """Read the records that `play` appended to a file; they say that `submission`, an ID, has played.

    As all records of a course they say the kinds of faults. The part of the check has the author's text.
    """
    found = []
    for line in file.read_bytes().splitlines() if file.is_file() else ():
        with suppress(msgspec.MsgspecError):  # the last line may be half written
            record = msgspec.json.decode(line, type=Record)
            setup = record.setup.with_submissions({NAME: submission})
            found.append(with_kinds(msgspec.structs.replace(record, setup=setup)))
    return found


def _lines(records: bytes) -> Iterator[dict[str, Any]]:
    for line in records.splitlines():
        with suppress(ValueError):  # the last line may be half written
            yield json.loads(line)


def _report(out: bytes) -> dict[str, Any] | None:
    with suppress(ValueError):
        found = json.loads(out)
        return found if isinstance(found, dict) and "faults" in found else None
    return None


def _result(run: _Run, *, seconds: float) -> PlayedGames:
    points, played, ours = Fraction(0), run.played, run.ours
    for record in played:
        score = record["result"]["scores"][record["setup"]["bots"].index(NAME)]
        points += Fraction(str(score)).limit_denominator(1000)
    unplayable = next((fault["sentence"] for fault in ours if fault["reason"] == NOT_STARTED), "")
    faults = tuple(f"{fault['reason']}: {fault['sentence']}".rstrip(": ") for fault in ours)
    late = any("time" in fault["reason"] for fault in ours)
    matches = tuple(record["match"] for record in played)
    took = round(seconds, 3)
    return PlayedGames(points, run.games, matches, faults, unplayable, not run.finished or late, took, run.said)


def _last_line(text: bytes) -> str:
    lines = text.decode(errors="replace").strip().splitlines()
    return lines[-1] if lines else ""


def _printed(folder: Path) -> str:
    """Return the end of what the submission printed; its output is in a file named after it."""
    files = sorted(each for each in folder.rglob(f"{NAME}*") if each.is_file())
    return "\n".join(each.read_bytes()[-OUTPUT:].decode(errors="replace").strip() for each in files)[-OUTPUT:]


def part_of(reference: Reference, played: PlayedGames) -> Part:
    """Return what the games are worth: all points for a score of `need`, a share for less."""
    reached = min(played.points / (reference.need * played.games), Fraction(1))
    points = (reference.points * reached).limit_denominator(100)
    return Part(
        name=f"against {reference.bot}",
        points=points,
        max_points=reference.points,
        why="" if reached == 1 and not played.faults else _why(reference, played),
        feedback=reference.feedback,
        matches=played.matches,
        timed_out=played.timed_out,
        seconds=played.seconds,
    )


def _why(reference: Reference, played: PlayedGames) -> str:
    if played.unplayable:
        return f"it cannot play: {played.unplayable}"
    needed = float(reference.need * played.games)
    score = f"{float(played.points):g} points in {played.games} games, {needed:g} give all points"
    if len(played.matches) < played.games:
        score = f"{score}; {played.games - len(played.matches)} games were not finished in time"
    return "; ".join((score, *_counted(played.faults)))


def _counted(faults: Iterable[str]) -> list[str]:
    counts: dict[str, int] = {}
    for each in faults:
        counts[each] = counts.get(each, 0) + 1
    return [f"{each} ({count} games)" if count > 1 else each for each, count in list(counts.items())[:TOLD]]
