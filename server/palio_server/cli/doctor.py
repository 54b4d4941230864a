"""`palio doctor`: what this machine offers, and what helps where something is missing."""

import click

from palio_server.cli.command import runs
from palio_server.cli.options import db_option, json_option
from palio_server.cli.printing import say, show_json

EXAMPLES = """
\b
Examples:
  palio doctor
  palio doctor --db sqlite:////srv/palio/palio.db
  palio doctor --json | jq '.[] | select(.state != "ok")'
"""
SIGNS = {"ok": "ok", "warning": "!", "missing": "MISSING"}


@click.command(epilog=EXAMPLES)
@db_option
@json_option
@runs
async def doctor(*, db: str | None, as_json: bool) -> int:
    """Tell what this machine offers: versions, the sandbox for bots' programs, disk, clocks, limits.

    Ends with 1 if something is missing that Palio needs; what could be better is marked with "!".
    """
    from palio_server.cli.doctor_checks import gathered
    from palio_server.cli.printing import show_table
    from palio_server.cli.source import database_url
    from palio_server.settings import load

    settings = load(db=db)
    found = await gathered(database_url(settings.db), must_confine=settings.must_confine)
    if as_json:
        show_json(found)
    else:
        show_table([["", "", ""], *([SIGNS[each.state], each.name, each.found] for each in found)], left={0, 1, 2})
        for each in found:
            if each.remedy and each.state != "ok":
                say(f"{each.name}: {each.remedy}")
    return 1 if any(each.state == "missing" for each in found) else 0
