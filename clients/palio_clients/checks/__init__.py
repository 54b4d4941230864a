"""The checks of `palio check-bot`: the whole protocol is played against a bot to find its errors."""

from collections.abc import AsyncIterator

from palio_clients.checks.protocol import Check, Gone, Rig, checks, handshake, ready
from palio_clients.checks.scripted_server import open_server
from palio_clients.checks.subject import CheckFailed, Finding, Patience, Silence, Subject

FIRST = (Check("says hello", handshake, vital=True), Check("gets ready", ready, vital=True))


async def check_bot(subject: Subject, *, port: int = 0, patience: Patience | None = None) -> AsyncIterator[Finding]:
    """Check a bot on a local server; yield one Finding a check, in order."""
    async with open_server(port) as server:
        rig = Rig(server, subject, patience or Patience())
        try:
            because = ""
            plan = list(FIRST)
            for check in plan:  # it grows when the bot's games are known
                finding = Finding(check.name, "skip", because) if because else await _examine(rig, check)
                yield finding
                if finding.verdict == "skip" and not because:
                    because = "the bot is gone"
                elif finding.verdict == "FAIL":
                    because = f"not examined, because {check.name!r} failed" if check.vital else because
                    await rig.start_afresh()
                if check is FIRST[-1]:
                    plan += checks(rig.games, ours=subject.restartable, program=subject.is_program)
        finally:
            await rig.start_afresh()


async def _examine(rig: Rig, check: Check) -> Finding:
    try:
        return Finding(check.name, "ok", await check.run(rig))
    except CheckFailed as failure:
        lines, strays, remedy = rig.subject.last_lines(), rig.subject.strays(), failure.remedy
        printed = f"\nits last lines:\n{lines}" if lines else ""
        if isinstance(failure, Silence) and rig.subject.is_program:
            printed += f"\nbut {strays[-1]}" if strays else ""
            remedy += "; a program ends each message with a line feed, flushes it, and writes nothing else to stdout"
        return Finding(check.name, "FAIL", f"{failure}{printed}", remedy)
    except Gone as gone:
        return Finding(check.name, "skip", str(gone))
