"""What the screen says of a game: whose turn it is, who has won and why, and what was played."""

from collections.abc import Mapping, Sequence

from palio_clients.terminal.local_match import LocalMatch
from palio_rules.game import Outcome

YOU = "you"
LONGEST = 40  # characters of a name on the wire


def seat_names(seats: Sequence[str], bots: Mapping[int, str]) -> tuple[str, ...]:
    """Who sits where: a bot by its name, and its seat if another is called alike; a person by the seat, or as "you"."""
    alone = len(bots) == len(seats) - 1 and bool(bots)
    names = list(bots.values())
    shown = {
        seat: f"{name[: LONGEST - 1 - len(seats[seat])]}-{seats[seat]}" if names.count(name) > 1 else name
        for seat, name in bots.items()
    }
    return tuple(shown.get(seat, YOU if alone else name) for seat, name in enumerate(seats))


def played(name: str, notation: str, comment: str = "", *, forced: bool = False) -> str:
    you = name == YOU
    if forced:
        return f"{name} cannot move and {'pass' if you else 'passes'}"
    if notation == "pass":
        return f"{name} {'pass' if you else 'passes'}{comment}"
    return f"{name} {'play' if you else 'plays'} {notation}{comment}"


def status(match: LocalMatch, names: Sequence[str]) -> str:
    """One line: whose turn it is, or how the game ended."""
    outcome, seat = match.outcome, match.to_move
    if outcome is not None and match.rules.cost(match.state) is not None:
        return verdict(outcome, match, names)
    if outcome is not None:
        return f"{verdict(outcome, match, names)}: {outcome.reason.replace('-', ' ')}"
    assert seat is not None, "a game that is not over is somebody's turn"
    seat_name = match.rules.seats[seat]
    if len(names) == 1:
        return f"{_plural(len(match.moves), 'move')} so far"
    return f"{capital(seat_name)} to move{'' if names[seat] == seat_name else f' ({names[seat]})'}"


def forfeited(match: LocalMatch, names: Sequence[str], reason: str) -> str:
    """The bot to move has given up, for `reason`: who has won by that, or that the others may play on."""
    rules, seat = match.rules, match.to_move
    assert seat is not None, "nobody forfeits when the game is over"
    after = rules.forfeit(match.state, seat)
    if isinstance(after, Outcome) and len(names) > 1:
        return f"{verdict(after, match, names)}: {names[seat]} forfeits, {reason}"
    return f"{names[seat]} forfeits ({rules.seats[seat]}): {reason}"


def verdict(outcome: Outcome, match: LocalMatch, names: Sequence[str]) -> str:
    """Who won: "Horizontal wins", "You win (vertical)", "Draw"; in a race whether it is solved, and at what cost."""
    if len(names) == 1:
        cost = match.rules.cost(match.state)
        return "Unsolved" if cost is None else f"Solved in {_plural(round(cost), 'move')}"
    winners = [seat for seat, score in enumerate(outcome.scores) if score == max(outcome.scores)]
    if len(winners) > 1:
        return "Draw"
    seat_name, name = match.rules.seats[winners[0]], names[winners[0]]
    if name == seat_name:
        return f"{capital(seat_name)} wins"
    return f"{capital(name) if name == YOU else name} {'win' if name == YOU else 'wins'} ({seat_name})"


def capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _plural(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"
