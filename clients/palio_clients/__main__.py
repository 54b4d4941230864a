"""`python -m palio_clients join ...`: the bots' commands, on a machine that has no server installed."""

import sys

import click

from palio_clients.cli.analyse import analyse
from palio_clients.cli.check_bot import check_bot
from palio_clients.cli.join import join
from palio_clients.cli.play import play
from palio_clients.cli.solve import solve


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def main() -> None:
    """Bots for Palio: join a server, check a bot without one, play against it yourself, or prove it wrong."""


main.add_command(join)
main.add_command(check_bot)
main.add_command(play)
main.add_command(solve)
main.add_command(analyse)

if __name__ == "__main__":
    sys.exit(main())
