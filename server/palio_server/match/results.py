"""How a match ends, in scores and words."""

from palio_rules.contract.messages import Result
from palio_rules.game import Outcome
from palio_server.match.seats import MAX_DETAIL, Fault, Seats


class Results:
    """Writes the result of one match, with the details of seats that were out before its end."""

    def __init__(self, seats: Seats) -> None:
        self._seats = seats
        self._details: dict[int, str] = {}  # of seats that are out of a game that plays on

    def seat_out(self, fault: Fault) -> None:
        """A seat is out, the match goes on."""
        if fault.detail:
            self._details[fault.seat] = fault.detail

    def by_rule(self, outcome: Outcome) -> Result:
        """The game is over by its own rules."""
        return Result("rule", outcome.reason, list(outcome.scores), detail=self._detail())

    def forfeited(self, fault: Fault, outcome: Outcome) -> Result:
        """A seat's fault has ended the game."""
        scores = list(outcome.scores)
        return Result(fault.termination, fault.reason, scores, fault.seat, self._detail(fault.detail))

    def adjudicated(self, reason: str, detail: str = "") -> Result:
        """A draw of those who still play."""
        detail = self._detail("" if detail == reason else detail)
        return Result("adjudicated", reason, self._seats.draw_scores(), detail=detail)

    def _detail(self, detail: str = "") -> str:
        """`detail`, and under its name that of each seat that was out before; each has an equal share of the room."""
        share = MAX_DETAIL // (1 + len(self._details))
        earlier = [f"{self._seats.rules.seats[seat]}: {words[-share:]}" for seat, words in self._details.items()]
        return "\n".join([detail, *earlier] if detail else earlier)
