"""A submission's games against a bot of the staff: a small private tournament, played by `palio run` as a process.

The process has its database in a folder of its own. It can be ended at any time, and leaves nothing behind. Openings
are drawn by the assignment's seed; bots play each opening in all seats.
"""

import asyncio
import json
import os
import shutil
import tempfile
import time
from collections.abc import Iterable, Iterator
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
from palio_server.courses.other_user import as_user, give, other_user
from palio_server.courses.values import Assignment, Part, Reference
from palio_server.processes.bot_process import GOODBYE_S, end_for_certain
from palio_server.processes.tether import tethered
from palio_server.sandbox.bubblewrap import size_text
from palio_server.sandbox.confinement import Confinement

NAME, OPPONENT = "submission", "reference"
OPENING_PLIES = 2  # random plies before the bots take over, in games with several seats
NOT_STARTED = "did not start"  # as `palio run --json` says it
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
    clock cannot be used.
    """
    seats = len(rules_of(assignment.game.partition(":")[0]).seats)
    each = factorial(seats)
    rounds = -(-games // each)
    begun = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="palio-check-") as place:
        folder = Path(place)
        command = _command(assignment, submission, opponent, seats, rounds, confinement, folder)
        user = await asyncio.to_thread(other_user, confinement, assignment.folder)
        give(folder, user)
        process = await asyncio.create_subprocess_exec(
            *tethered(GOODBYE_S, *as_user(user, command)),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env={**os.environ, "TMPDIR": place, **({} if user is None else {"HOME": place})},
            cwd=assignment.folder,
            start_new_session=True,
        )
        finished = True
        try:
            async with asyncio.timeout(seconds):
                out, err = await process.communicate()
        except TimeoutError:
            finished, out, err = False, b"", b""
        finally:
            await end_for_certain(process)
        played = list(_records(folder / "records.jsonl"))
        if records is not None and played:
            with records.open("ab") as kept, (folder / "records.jsonl").open("rb") as new:
                shutil.copyfileobj(new, kept)
        report = _report(out)
        if finished and report is None:
            raise BadOption(_last_line(err) or f"the games against {opponent} could not be played")
        said = _printed(folder)
    here = f"{submission}/"  # a copy, which is removed
    said = said.replace(here, "")
    took = time.monotonic() - begun
    for fault in (report or {}).get("faults", ()):
        fault["sentence"] = fault["sentence"].replace(here, "")
        if fault["bot"] != NAME and fault["reason"] == NOT_STARTED:
            raise BadOption(f"the reference bot {opponent} cannot play: {fault['sentence']}")
    return _result(played, report, rounds * each, finished=finished, seconds=took, said=said)


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


def _records(file: Path) -> Iterator[dict[str, Any]]:
    if file.is_file():
        for line in file.read_text(encoding="utf-8").splitlines():
            with suppress(ValueError):  # the last line may be half written
                yield json.loads(line)


def _report(out: bytes) -> dict[str, Any] | None:
    with suppress(ValueError):
        found = json.loads(out)
        return found if isinstance(found, dict) and "faults" in found else None
    return None


def _result(
    played: list[dict[str, Any]],
    report: dict[str, Any] | None,
    games: int,
    *,
    finished: bool,
    seconds: float,
    said: str,
) -> PlayedGames:
    points = Fraction(0)
    for record in played:
        score = record["result"]["scores"][record["setup"]["bots"].index(NAME)]
        points += Fraction(str(score)).limit_denominator(1000)
    ours = [fault for fault in (report or {}).get("faults", ()) if fault["bot"] == NAME]
    unplayable = next((fault["sentence"] for fault in ours if fault["reason"] == NOT_STARTED), "")
    faults = tuple(f"{fault['reason']}: {fault['sentence']}".rstrip(": ") for fault in ours)
    late = any("time" in fault["reason"] for fault in ours)
    matches = tuple(record["match"] for record in played)
    return PlayedGames(points, games, matches, faults, unplayable, not finished or late, round(seconds, 3), said)


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
