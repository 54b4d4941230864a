"""Leaderboards and head-to-head scores in the terminal."""

from typing import Any

import click
import msgspec

from palio_db.values import PairScore
from palio_rules.errors import BadOption
from palio_rules.live import Leader
from palio_rules.registry import game as game_of
from palio_rules.registry import games
from palio_server.console.sources import Source
from palio_server.console.terminal import show_table

HEAD = ["#", "bot", "rating", "+/-", "games", "W", "D", "L", "points", "illegal", "time", "ms", "form"]


async def show_leaders(source: Source, game: str | None, *, head_to_head: bool, as_json: bool) -> None:
    """Print the leaderboard of `game`, or of every game that has been played."""
    found: list[dict[str, Any]] = []
    for name in [game] if game else games():
        leaders = (await source.leaderboard(name)).leaders
        pairs = await source.head_to_head(name) if head_to_head else []
        if leaders or game:
            found.append({"game": name, "leaders": leaders} | ({"head_to_head": pairs} if head_to_head else {}))
    if as_json:
        click.echo(msgspec.json.format(msgspec.json.encode(found[0] if game else found)))
        return
    if not any(board["leaders"] for board in found):
        what = f"no match of {game}" if game else "no match"
        raise BadOption(f"{what} is finished in {source.where}; play some with `palio run`")
    for number, board in enumerate(found):
        if number:
            click.echo()
        show_table([HEAD, *map(_line, board["leaders"])], left={1, 12}, title=game_of(board["game"]).title)
        if head_to_head:
            click.echo()
            show_table(_pairs(board["head_to_head"]), left={0, 1}, title="Head to head")
    if any(leader.provisional for board in found for leader in board["leaders"]):
        click.echo("? provisional: too few games to rank with confidence")


def _line(leader: Leader) -> list[str]:
    figures = (leader.games, leader.wins, leader.draws, leader.losses)
    return [
        str(leader.rank),
        leader.bot,
        f"{leader.rating:.0f}",
        f"{leader.error:.0f}{'?' if leader.provisional else ''}",
        *map(str, figures),
        f"{round(leader.points, 2):g}",
        str(leader.illegal_moves),
        str(leader.time_losses),
        f"{leader.mean_ms:.1f}",
        leader.form,
    ]


def _pairs(pairs: list[PairScore]) -> list[list[str]]:
    head = ["bot", "against", "won", "drawn", "lost", "score"]
    lines = [
        [pair.first, pair.second, *map(str, (pair.wins, pair.draws, pair.losses)), f"{pair.points / pair.games:.3f}"]
        for pair in pairs
        if pair.games
    ]
    return [head, *lines]
