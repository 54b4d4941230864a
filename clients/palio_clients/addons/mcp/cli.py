"""`palio mcp`: a server's tools for language-model clients that start programs and use stdio."""

import click

from palio_clients.cli import Misuse
from palio_clients.cli.printing import until_stopped
from palio_rules.contract.endpoints import web
from palio_rules.errors import BadOption
from palio_rules.extras import install

PATH = "/mcp"  # of a server's tools

EXAMPLES = """
\b
In the settings of a client such as Claude Desktop or Cursor:
  {"mcpServers": {"palio": {"command": "palio", "args": ["mcp", "http://127.0.0.1:8000"]}}}
A client that speaks HTTP needs no program: it connects to http://127.0.0.1:8000/mcp.
"""


@click.command(epilog=EXAMPLES)
@click.argument("url", required=False)
@click.option("--token", envvar="PALIO_TOKEN", show_envvar=True, help="What `palio bot add` printed.")
@click.option("--name", help="What the model is called when it joins, unless it says something else.")
def mcp(url: str | None, token: str | None, name: str | None) -> None:
    """Let a language model play: serve the tools of the server at URL on stdin and stdout (Model Context Protocol).

    URL is the server's address, by default http://127.0.0.1:8000; a bare HOST:PORT is fine. A model's client starts
    this command, and its model lists games, joins, moves and watches. It ends with its client, or by Ctrl-C.
    """
    from palio_clients.sdk.events import run_in_loop  # noqa: PLC0415
    from palio_clients.sdk.failures import ClientError  # noqa: PLC0415

    address = endpoint_of(url)
    try:
        from palio_clients.addons.mcp.bridge import Bridge  # noqa: PLC0415  # its library takes a second
    except ImportError as error:
        if (error.name or "").startswith("palio"):
            raise
        raise click.ClickException(f"`palio mcp` needs the package `mcp`; {install('mcp')}") from None
    try:
        run_in_loop(until_stopped(Bridge(address, token, name).run()))
    except ClientError as error:
        raise click.ClickException(str(error)) from error


def endpoint_of(url: str | None) -> str:
    """Return the address of the tools of the server at `url`. Raises Misuse."""
    try:
        return web(url).removesuffix(PATH) + PATH
    except BadOption as error:
        raise Misuse(str(error)) from None
