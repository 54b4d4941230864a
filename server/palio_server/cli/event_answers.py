"""What `palio tournament` asks of a server, and how it tells the answer."""

from typing import TYPE_CHECKING

import click
import msgspec

from palio_server.cli.printing import say, show_json

if TYPE_CHECKING:
    from palio_server.api.event_items import TournamentDetail

number_argument = click.argument("number", type=click.IntRange(1), metavar="N")


async def asked(url: str | None, token: str | None, method: str, path: str, body: object = None) -> "TournamentDetail":
    """What the server answers. Raises CommandFailed."""
    from palio_server.api.event_items import TournamentDetail
    from palio_server.cli.errors import CommandFailed
    from palio_server.cli.remote import Remote

    remote = Remote(url, token)
    answer = await remote.send(method, path, {} if body is None else body)
    try:
        return msgspec.json.decode(answer, type=TournamentDetail)
    except msgspec.DecodeError as error:
        raise CommandFailed(f"{remote.url} answers in a form that this palio cannot read: {error}") from None


def told(detail: "TournamentDetail", line: str, url: str | None, *, as_json: bool = False) -> None:
    if as_json:
        show_json(detail)
        return
    from palio_rules.contract.addresses import web

    say(f"{line}; look at it with: palio tournament show {detail.id} --url {web(url)}")
