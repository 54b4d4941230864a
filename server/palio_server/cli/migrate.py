"""`palio migrate`: the upgrade of a database's tables, which no other command does."""

from typing import TYPE_CHECKING

import click

from palio_rules.errors import BadOption
from palio_rules.version import BUILD
from palio_server.cli.command import runs
from palio_server.cli.completed_words import database
from palio_server.cli.options import db_option
from palio_server.cli.printing import say

if TYPE_CHECKING:
    from collections.abc import Sequence

    from palio_db.upgrades import Plan, Step, Upgrade

EXAMPLES = """
\b
Examples:
  palio migrate --check
  palio migrate palio.db
  palio migrate postgresql://palio@db/palio --to 0012
"""

TO_DO = 1  # the exit code of --check if there is something to do
WORTH_TELLING_S = 1.0


@click.command(epilog=EXAMPLES)
@click.argument("target", required=False, metavar="[DB]", shell_complete=database)
@click.option("--check", is_flag=True, help="Only say what an upgrade would do; ends with 1 if there is something.")
@click.option("--to", metavar="REVISION", help="Upgrade to these tables, also if other programs use the database.")
@click.option("--no-backup", is_flag=True, help="SQLite: make no copy of the file before.")
@db_option
@runs
async def migrate(*, target: str | None, check: bool, to: str | None, no_backup: bool, db: str | None) -> int:
    """Upgrade the tables of a database to those of this Palio, in one transaction; nothing else upgrades them.

    A SQLite file is copied first. While other programs use the database, steps after which servers of an older Palio
    could not go on are left for later, unless --to asks for them.
    """
    from palio_db.upgrades import Upgrade
    from palio_server.cli.source import database_url
    from palio_server.settings import load

    if target is not None and db is not None:
        raise BadOption("give either DB or --db, not both")
    upgrade = Upgrade(database_url(load(db=target or db).db, must_exist=True))
    plan = await upgrade.plan(to)
    if not plan.steps:
        say(_nothing(upgrade, plan))
        return 0
    say(f"{upgrade.label}: from tables {plan.version} to {plan.steps[-1].revision} (palio {BUILD})")
    for step in plan.steps:
        say(f"  {step.revision}  {step.about}; {_effect(step)}")
    if check:
        if upgrade.file is None:
            say("make a backup first, with pg_dump", err=True)
        return TO_DO
    return await _run(upgrade, plan, to, backup=not no_backup)


async def _run(upgrade: "Upgrade", plan: "Plan", to: str | None, *, backup: bool) -> int:
    steps: Sequence[Step] = plan.steps
    if to is None and len(plan.harmless) < len(plan.steps) and await upgrade.others():
        steps = plan.harmless
    if steps:
        if backup and upgrade.file is not None:
            say(f"backup: {await upgrade.backup(str(plan.version))}")
        await upgrade.run(steps[-1].revision)
        say(f"the tables are {steps[-1].revision} now")
    if len(steps) < len(plan.steps):
        rest = plan.steps[len(steps)].revision
        last = plan.steps[-1].revision
        say(f"other programs use the database, and after {rest} those of an older Palio could not go on: "
            f"upgrade or stop them, then `palio migrate --to {last}`")  # fmt: skip
    return 0


def _nothing(upgrade: "Upgrade", plan: "Plan") -> str:
    if plan.version is None:
        return f"{upgrade.label} is empty; the first program that uses it makes its tables"
    return f"{upgrade.label}: nothing to do, its tables are {plan.version} (palio {BUILD})"


def _effect(step: "Step") -> str:
    said = "servers of an older Palio go on" if step.older_go_on else "servers of an older Palio cannot go on"
    if not step.rows:
        return said
    time = f", about {step.seconds:.0f} s" if step.seconds >= WORTH_TELLING_S else ""
    return f"{said}; {step.rows:,} rows{time}"
