"""`python -m palio_clients join ...`: the bots' commands, on a machine without a server."""

import sys
from importlib import import_module

import click

from palio_clients.cli.printing import say
from palio_rules.extras import missing_part

VERBS = {  # module and function, as in the entry points of group `palio.commands`
    "analyse": "cli.analyse:analyse",
    "check-bot": "cli.check_bot:check_bot",
    "check-game": "cli.check_game:check_game",
    "compile": "cli.compile:compile_searches",
    "gtp": "engines.cli:gtp",
    "hint": "cli.hint:hint",
    "join": "cli.join:join",
    "mcp": "addons.mcp.cli:mcp",
    "new": "cli.new:new",
    "play": "cli.play:play",
    "solve": "cli.solve:solve",
    "ugi": "engines.cli:ugi",
    "uci": "engines.cli:uci",
}


class Verbs(click.Group):
    """A group whose commands are imported on first use."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in VERBS:
            return None
        module, _, function = VERBS[cmd_name].partition(":")
        command: click.Command = getattr(import_module(f"palio_clients.{module}"), function)
        return command


@click.group(cls=Verbs, context_settings={"help_option_names": ["-h", "--help"]})
def main() -> None:
    """Bots for Palio: join a server, check a bot without one, play against it yourself, or prove it wrong."""


def run() -> None:
    """Run the commands; a missing library ends the program with one sentence."""
    try:
        main()
    except ModuleNotFoundError as error:
        if (sentence := missing_part(error)) is None:
            raise
        say(f"Error: {sentence}", err=True, lines=True)
        sys.exit(1)


if __name__ == "__main__":
    run()
