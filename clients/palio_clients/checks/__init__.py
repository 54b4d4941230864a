"""The checks of `palio check-bot`: the whole protocol is played against a bot to find its errors."""

from collections.abc import AsyncGenerator, Callable

from palio_clients.checks.protocol import BotGone, Check, Rig, checks, handshake, ready
from palio_clients.checks.scripted_server import open_server
from palio_clients.checks.subject import CheckFailed, CheckResult, CheckTimes, NoAnswer, Subject

FIRST = (Check("says hello", handshake, vital=True), Check("gets ready", ready, vital=True))


async def check_bot(
    subject: Subject,
    *,
    port: int = 0,
    patience: CheckTimes | None = None,
    begins: Callable[[str], None] = lambda _: None,
) -> AsyncGenerator[CheckResult, None]:
    """Check a bot on a local server; yield one CheckResult a check, in order. `begins` is called before each check."""
    async with open_server(port) as server:
        rig = Rig(server, subject, patience or CheckTimes())
        try:
            because = ""
            plan = list(FIRST)
            for check in plan:  # it grows when the bot's games are known
                if not because:
                    begins(check.name)
                finding = CheckResult(check.name, "skip", because) if because else await _examine(rig, check)
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


async def _examine(rig: Rig, check: Check) -> CheckResult:
    try:
        return CheckResult(check.name, "ok", await check.run(rig))
    except CheckFailed as failure:
        lines, stray_lines, remedy = rig.subject.last_lines(), rig.subject.stray_lines(), failure.remedy
        printed = f"\nits last lines:\n{lines}" if lines else ""
        if isinstance(failure, NoAnswer) and rig.subject.is_program:
            printed += f"\nbut {stray_lines[-1]}" if stray_lines else ""
            remedy += "; a program ends each message with a line feed, flushes it, and writes nothing else to stdout"
        return CheckResult(check.name, "FAIL", f"{failure}{printed}", remedy)
    except BotGone as gone:
        return CheckResult(check.name, "skip", str(gone))
