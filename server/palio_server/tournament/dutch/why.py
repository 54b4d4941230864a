"""The reasons for a pairing, in sentences, from the report of the round. Articles are those of C.04.3 (2026)."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from palio_server.tournament.dutch.bracket import Conditions
from palio_server.tournament.dutch.colours import Allocation, clash
from palio_server.tournament.dutch.player import ABSOLUTE, OTHER, STRONG, DutchPlayer
from palio_server.tournament.dutch.round import BracketReport, RoundPairing

LISTED = 6  # names in a sentence


def why_board(pairing: RoundPairing, board: Allocation, *, colours: bool = True) -> list[str]:
    """Return why these two meet, and if `colours`: why with these colours; articles at the end."""
    place = _place(pairing, {board.white.number, board.black.number})
    higher, lower = sorted((board.white, board.black), key=lambda player: player.rank)
    said = _Said([], [])
    for report in pairing.brackets[:place]:
        if higher in report.paired.down:
            said.add(*_float(higher, report, pairing.conditions))
    report = pairing.brackets[place]
    said.add(*(_moved(higher, lower, report, pairing) if higher in report.moved else _level(higher, lower, report)))
    if colours:
        said.add(*_colours(board, higher, lower))
    return said.finished()


def why_bye(pairing: RoundPairing) -> list[str]:
    """Return why this one has the bye; [] if there is none."""
    bye = pairing.bye
    if bye is None:
        return []
    said = _Said([], [])
    all_players = [player for report in pairing.brackets for player in report.residents]
    said.add(f"{len(all_players)} bots are an odd number: one has the bye.", "C.04.1")
    below = [player for player in all_players if player.score < bye.score]
    barred = [player for player in below if player.bye_barred]
    if barred:
        verb = "has" if len(barred) == 1 else "have"
        said.add(f"{_names(barred)} {verb} had a bye or a forfeit worth a win, and no bot has that twice.", "C2")
    if len(below) > len(barred):
        said.add("With a bye for any bot below, the others could not all be paired.", "C4")
    said.add(f"{bye.name}, on {_points(bye)}, is in the lowest score group where a bot can have it.", "C5")
    rivals = [player for player in all_players if player.score == bye.score and player != bye and not player.bye_barred]
    if rivals:
        said.add(*_before_rivals(bye, rivals))
    return said.finished()


class _Said(NamedTuple):
    """The sentences, and the articles that they are based on."""

    sentences: list[str]
    articles: list[str]

    def add(self, sentence: str, article: str) -> None:
        if sentence:
            self.sentences.append(sentence)
        self.articles.extend(each for each in article.split() if each not in self.articles)

    def finished(self) -> list[str]:
        return [*self.sentences, f"(C.04.3: {', '.join(self.articles)})"]


def _before_rivals(bye: DutchPlayer, rivals: Sequence[DutchPlayer]) -> tuple[str, str]:
    fewest = min(player.games for player in rivals)
    if bye.games > fewest:
        return f"It has played {bye.games} games; others there have missed more and shall play.", "C9"
    return "Of those there it is the one whose bye leaves the best pairing to the others.", "C6 C21"


def _place(pairing: RoundPairing, numbers: set[int]) -> int:
    for index, report in enumerate(pairing.brackets):
        if any({one.number, other.number} == numbers for one, other in report.paired.pairs):
            return index
    raise LookupError(numbers)


# --- floats -----------------------------------------------------------------------------------------------------------


def _float(player: DutchPlayer, report: BracketReport, conditions: Conditions) -> tuple[str, str]:
    """Return why it was not paired in this bracket."""
    others = [other for other in (*report.moved, *report.residents) if other != player]
    resident = player in report.residents
    where = f"on {_points(player)}" if resident else f"in the group on {_points(report.residents[0])}"
    if not others:
        return f"{player.name} is alone {where}, so it floats down.", "1.4"
    possible = [other for other in others if conditions.compatible(player, other)]
    if not possible:
        return f"{_impossible(player, others)} So it floats down from those {where}.", "C1 C3"
    if resident and len(others) % 2 == 0 and len(report.paired.down) == 1:
        return f"{len(others) + 1} bots {where} are an odd number: one floats down, {player.name}.", "C6 C7"
    kept = len(others) + 1 - len(report.paired.down)
    most = f"Of the {len(others) + 1} bots {where} only {kept} can be paired there if all others are to be paired, too"
    return f"{most}; {player.name} floats down.", "C4 C6 C7"


def _impossible(player: DutchPlayer, others: Sequence[DutchPlayer]) -> str:
    met = [other for other in others if other.number in player.met]
    if len(met) == len(others):
        level = {other.score for other in met}
        there = f"on {_points(met[0])}" if len(level) == 1 else "there"
        every = f"Every other bot {there} ({_names(met)})" if len(met) > 1 else met[0].name
        return f"{every} has already met {player.name}, and no two bots meet twice."
    due = [other for other in others if clash(player, other) and other not in met]
    also = f" and has already met {_names(met)}" if met else ""
    return f"{player.name} must have {player.preference.title()}, like {_names(due)},{also}.".replace(",.", ".")


def _moved(higher: DutchPlayer, lower: DutchPlayer, report: BracketReport, pairing: RoundPairing) -> tuple[str, str]:
    """Return the reason for the opponent of a bot that has been moved down."""
    better = [other for other in report.residents if other.rank < lower.rank]
    met = [other for other in better if other.number in higher.met]
    free = [other for other in better if pairing.conditions.compatible(higher, other)]
    goes = f"In the group on {_points(lower)} {higher.name} meets {lower.name}"
    if not better:
        return f"{goes}, the best-placed bot there.", "4.2"
    if len(met) == len(better):
        return f"{goes}, the best-placed bot there that it has not met.", "C1 4.2"
    if not free:
        return f"{goes}, the best-placed bot there that it may meet.", "C1 C3 4.2"
    return f"{goes}: with {_names(free)} instead, the group's colours, floats or pairs would be worse.", "C6 C21 4.2"


# --- within a group ---------------------------------------------------------------------------------------------------


def _level(higher: DutchPlayer, lower: DutchPlayer, report: BracketReport) -> tuple[str, str]:
    """Return the reason for two of the same score group."""
    paired = {player for pair in report.paired.pairs if pair[0] in report.moved for player in pair}
    group = [player for player in report.residents if player not in paired]
    size = sum(one in group for one, _ in report.paired.pairs)
    both = f"Both are on {_points(higher)}"
    if len(group) == 2:
        return f"{both}, and there is no other opponent.", "1.3"
    rank, other = group.index(higher), group.index(lower)
    if rank < size <= other and other - size == rank:
        return (
            f"{both}: of {len(group)} there, number {rank + 1} of the upper half meets number {rank + 1} of the lower.",
            "3.2",
        )
    if rank < size <= other:
        return _transposed(higher, lower, group, size)
    return f"{both}. Only an exchange between the halves gives a pairing that is allowed, or as good.", "4.3"


def _transposed(higher: DutchPlayer, lower: DutchPlayer, group: Sequence[DutchPlayer], size: int) -> tuple[str, str]:
    natural = group[size + group.index(higher)] if size + group.index(higher) < len(group) else lower
    start = f"Both are on {_points(higher)}"
    if natural.number in higher.met:
        return f"{start}. By rank {higher.name} would meet {natural.name}, which it has already met.", "C1 4.2"
    if clash(higher, natural):
        why = f"both must have {higher.preference.title()}"
        return f"{start}. By rank {higher.name} would meet {natural.name}, but {why}.", "C3 4.2"
    return (
        f"{start}. By rank {higher.name} would meet {natural.name}; this way more of the group get what is due.",
        "C12 4.2",
    )


# --- colours ----------------------------------------------------------------------------------------------------------


def _colours(board: Allocation, higher: DutchPlayer, lower: DutchPlayer) -> tuple[str, str]:
    article, one = board.article, higher
    if article == "5.2.1":
        wishes = [
            f"{player.name} is due {player.preference.title()}" for player in (higher, lower) if player.preference
        ]
        return f"{' and '.join(wishes)}.", article
    given = {board.white.number: "White", board.black.number: "Black"}
    if article == "5.2.5":
        kind = "odd" if higher.place % 2 else "even"
        return f"Neither is due a colour; {higher.name}'s number is {kind}, so it is {given[higher.number]}.", article
    due = f"Both are due {higher.preference.title()}"
    if article == "5.2.2":
        one = higher if given[higher.number].lower() == higher.preference else lower
        other = lower if one is higher else higher
        return f"{due}, {one.name} {_strength(one)} and {other.name} {_strength(other)}: {one.name} gets it.", article
    if article == "5.2.3":
        return f"{due}. They swap the colours of the last round in which these differed.", article
    shown = " ".join(colour[0] for colour in higher.colours)
    alike = (
        f"Their colours so far are the same ({shown})" if higher.colours == lower.colours else "Nothing sets them apart"
    )
    return f"{due}. {alike}, so the higher placed, {higher.name}, gets its due.", article


def _strength(player: DutchPlayer) -> str:
    if player.strength == ABSOLUTE:
        colour = OTHER[player.preference].title()
        return (
            f"absolutely ({player.imbalance} more {colour})"
            if player.imbalance > 1
            else f"absolutely (two {colour} in a row)"
        )
    return "strongly" if player.strength == STRONG else "mildly"


def _points(player: DutchPlayer) -> str:
    return f"{player.score / 10:g}"


def _names(players: Iterable[DutchPlayer]) -> str:
    names = [player.name for player in players]
    shown = names if len(names) <= LISTED else [*names[: LISTED - 1], f"{len(names) - LISTED + 1} more"]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"
