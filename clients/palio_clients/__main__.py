"""`python -m palio_clients join ...`: the bots' commands, on a machine that has no server installed."""

import sys

import click

from palio_clients.commands.check_bot import check_bot
from palio_clients.commands.join import join


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def main() -> None:
    """Bots for Palio: join a server, or check a bot without one."""


main.add_command(join)
main.add_command(check_bot)

if __name__ == "__main__":
    sys.exit(main())
