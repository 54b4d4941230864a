"""The output lines that users of cutechess-cli and fastchess know, and that their scripts read."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec import UNSET

from palio_rules.contract.messages import Result
from palio_server.ratings.elo import Score
from palio_server.ratings.sprt import SequentialTest
from palio_server.tournament.standing import PairFigures, shared_places

if TYPE_CHECKING:  # callers that only want a line load nothing of the store
    from palio_db.values import Rating
    from palio_server.tournament.crosstable import Total

EQUAL = 3  # decimals of Elo up to which two ratings are equal: computed ones differ in the last digits


def versus(bots: Sequence[str], *, race: bool = False) -> str:
    """Return `A vs B`, `A vs B vs C`; in a race, without opponents, `A, B, C`."""
    return (", " if race else " vs ").join(bots)


def of_total(total: int | None, *, about: bool = False) -> str:
    """Return ` of 10`, ` of about 10`, or "" if unknown."""
    return "" if total is None else f" of about {total}" if about else f" of {total}"


def started(number: int, total: int | None, bots: Sequence[str], *, race: bool = False, about: bool = False) -> str:
    """Return `Started game 1 of 10 (A vs B)`; `about`: the total may change."""
    return f"Started game {number}{of_total(total, about=about)} ({versus(bots, race=race)})"


def finished(number: int, bots: Sequence[str], result: Result) -> str:
    """Return `Finished game 1 (A vs B): 1-0 {reached-far-row}`; the first seat's points come first."""
    race = result.finishes is not UNSET
    how = ranking(bots, result) if race else outcome(result.scores)
    return f"Finished game {number} ({versus(bots, race=race)}): {how} {{{why(result)}}}"


def ranking(bots: Sequence[str], result: Result) -> str:
    """Return `A 12, B 14, C -`: the cost of each entrant of a race, in order of rank; those without a solution come
    last.
    """
    assert result.finishes is not UNSET  # it is a race
    ranked = sorted(zip(bots, result.finishes, result.scores, strict=True), key=lambda entrant: -entrant[2])
    return ", ".join(f"{bot} {paid(finish.cost)}" for bot, finish, _ in ranked)


def paid(cost: float | None) -> str:
    """Return `12`, `7544.37`, or `-` where there is no solution."""
    return "-" if cost is None else f"{cost:.2f}".rstrip("0").rstrip(".")


def outcome(scores: Sequence[float]) -> str:
    """Return `1-0`, `0-1`, `1/2-1/2`, `1/3-1/3-1/3`."""
    return "-".join(_SHARES.get(round(score, 9), f"{score:g}") for score in scores)


_SHARES = {0.0: "0", 0.5: "1/2", round(1 / 3, 9): "1/3", 1.0: "1"}


def why(result: Result) -> str:
    """Return how a match ended, as `how_ended` says it."""
    return how_ended(result.termination, result.reason, result.rule_detail)


def how_ended(termination: str | None, reason: str | None, detail: str | None) -> str:
    """Return the reason, with the way in which the game ended if it was not by the rules: `time: flag-fell`.

    `detail`: what the rules say of a duel beyond its scores, if anything; then that: `Black wins by 3.5 points`.
    """
    return detail or ((reason or "") if termination in (None, "rule") else f"{termination}: {reason}")


def score_line(first: str, second: str, score: Score) -> str:
    """Return `Score of A vs B: 5 - 3 - 2  [0.600] 10`: wins, losses, draws, points a game, games."""
    results = f"{score.wins} - {score.losses} - {score.draws}"
    return f"Score of {first} vs {second}: {results}  [{score.ratio:.3f}] {score.games}"


def elo_line(score: Score) -> str:
    """Return `Elo difference: 70.4 +/- 226.8, LOS: 76.0 %, DrawRatio: 20.0 %`."""
    shares = f"LOS: {100 * score.los:.1f} %, DrawRatio: {100 * score.draw_ratio:.1f} %"
    return f"Elo difference: {score.elo:.1f} +/- {score.error:.1f}, {shares}"


def pair_lines(figures: PairFigures) -> str:
    """Return what fastchess prints of a match of pairs: errors by pairs, normalised Elo, and the counts."""
    games, points = figures.games, figures.wins + figures.draws / 2
    ratio = "inf" if figures.pairs_ratio is None else f"{figures.pairs_ratio:.2f}"
    elo, nelo = f"{figures.elo:.2f} +/- {figures.elo_error:.2f}", f"{figures.nelo:.2f} +/- {figures.nelo_error:.2f}"
    results = f"Wins: {figures.wins}, Losses: {figures.losses}, Draws: {figures.draws}"
    lines = (
        f"Elo: {elo}, nElo: {nelo}",
        f"LOS: {100 * figures.los:.2f} %, DrawRatio: {100 * figures.draw_ratio:.2f} %, PairsRatio: {ratio}",
        f"Games: {games}, {results}, Points: {points:.1f} ({100 * points / games:.2f} %)",
        f"Ptnml(0-2): [{', '.join(map(str, figures.pairs))}]",
    )
    return "\n".join(lines)


def llr_line(test: SequentialTest, llr: float) -> str:
    """Return `LLR: 1.23 (-2.94, 2.94) [0.00, 5.00]`: the ratio, its bounds, both hypotheses; in fastchess's form."""
    return f"LLR: {llr:.2f} ({test.lower:.2f}, {test.upper:.2f}) [{test.elo0:.2f}, {test.elo1:.2f}]"


def rating_rows(rated: "Mapping[str, Rating]", scores: "Mapping[str, Score | Total]") -> list[list[str]]:
    """Return `Rank Name Elo +/- Games Score Draw`, the strongest first, those last and without a rank whose rating
    is provisional (`?`); equal ones share a place. `Score`: the points a game, in a race the share of the others that
    a bot was ahead of.
    """
    rows = [["Rank", "Name", "Elo", "+/-", "Games", "Score", "Draw"]]
    order = sorted(rated, key=lambda bot: (rated[bot].provisional, -rated[bot].rating, bot))
    places = shared_places(None if rated[bot].provisional else round(rated[bot].rating, EQUAL) for bot in order)
    for place, bot in zip(places, order, strict=True):
        rating, score = rated[bot], scores.get(bot, Score())
        error = f"{rating.error:.0f}{'?' if rating.provisional else ''}"
        shares = (f"{100 * share:.1f}%" for share in (score.ratio, score.draw_ratio))
        rows.append([place, bot, f"{rating.rating:.0f}", error, str(score.games), *shares])
    return rows
