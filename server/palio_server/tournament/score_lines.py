"""The lines that users of cutechess-cli and fastchess know, and that their scripts read."""

from collections.abc import Sequence

from palio_rules.messages import Result
from palio_server.tournament.elo import Score


def started(number: int, total: int, first: str, second: str) -> str:
    """`Started game 1 of 10 (A vs B)`."""
    return f"Started game {number} of {total} ({first} vs {second})"


def finished(number: int, first: str, second: str, result: Result) -> str:
    """`Finished game 1 (A vs B): 1-0 {reached-far-row}`; the first seat's points come first."""
    return f"Finished game {number} ({first} vs {second}): {outcome(result.scores)} {{{why(result)}}}"


def outcome(scores: Sequence[float]) -> str:
    """`1-0`, `0-1`, `1/2-1/2`."""
    return "-".join({0.0: "0", 0.5: "1/2", 1.0: "1"}.get(score, f"{score:g}") for score in scores)


def why(result: Result) -> str:
    """The reason, with the way in which the game ended if it was not by the rules: `time: flag-fell`."""
    return result.reason if result.termination == "rule" else f"{result.termination}: {result.reason}"


def score_line(first: str, second: str, score: Score) -> str:
    """`Score of A vs B: 5 - 3 - 2 [0.600] 10`: wins, losses, draws, points a game, games."""
    return (
        f"Score of {first} vs {second}: {score.wins} - {score.losses} - {score.draws} [{score.ratio:.3f}] {score.games}"
    )


def elo_line(score: Score) -> str:
    """`Elo: 70.4 +/- 226.8, LOS: 76.0 %, DrawRatio: 20.0 %`."""
    return (
        f"Elo: {score.elo:.1f} +/- {score.error:.1f}, "
        f"LOS: {100 * score.los:.1f} %, DrawRatio: {100 * score.draw_ratio:.1f} %"
    )
