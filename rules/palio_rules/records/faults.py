"""Verification of records: a record's plies are played through the rules again, and one sentence tells a difference."""

from collections.abc import Iterable, Sequence

from msgspec import UNSET

from palio_rules.adjudication import REASONS, Adjudicator
from palio_rules.contract.messages import MAX_ENTRANTS, Finish, Result
from palio_rules.errors import Rejection
from palio_rules.game import Outcome
from palio_rules.records.boards import PROVEN, Boards, RaceBoards, advance, boards_of
from palio_rules.records.record import AGREEMENT, FORMAT, Record, score_of


def fault(record: Record) -> str | None:
    """Return why a record does not reproduce by the rules, in one sentence with the place; None if it does."""
    if record.format != FORMAT:
        return f"its format is {record.format!r}, this version reads {FORMAT!r}"
    try:
        boards = boards_of(record.setup)
    except ValueError as error:
        return f"the setup cannot be played: {error}"
    if (wrong := _fault_of_plies(record, boards)) is not None:
        return wrong
    return _fault_of_race(record, boards) if isinstance(boards, RaceBoards) else _fault_of_game(record, boards)


def _fault_of_plies(record: Record, boards: Boards) -> str | None:
    """Play the plies on `boards`; return what is wrong with the first that cannot be played."""
    for number, ply in enumerate(record.plies, 1):
        if not 0 <= ply.seat < boards.seats or (ply.out is None and boards.to_move(ply.seat) != ply.seat):
            return f"ply {number} was played by seat {ply.seat}, but it was not that seat's turn"
        try:
            boards.play(ply)
        except Rejection as error:
            return f"ply {number} is not legal: {error}"
        if ply.ms < 0:
            return f"ply {number} took {ply.ms} ms"
    return None


def _fault_of_numbers(record: Record, seats: int, plies: int, most: int) -> str | None:
    """Return what contradicts the number of `seats`; of `plies` there may be at most `most`."""
    setup, result = record.setup, record.result
    if len(setup.bots) != seats or len(set(setup.bots)) != seats:
        return f"{setup.game} has {seats} seats for different bots, the record has {', '.join(setup.bots) or 'none'}"
    if plies > most:
        return f"it has {plies} plies, but was to be adjudicated after {setup.max_plies}"
    if len(result.scores) != seats or (result.seat is not None and result.seat >= seats):
        return f"its result does not fit {seats} seats: scores {result.scores}, seat {result.seat}"
    if len(record.confined) not in (0, seats):
        return f"it says of {len(record.confined)} programs how they were confined, there are {seats} seats"
    if record.absent and (here := sorted({*record.absent} - {*record.absentees()})):
        return f"it says that the bot of seat {here[0]} did not come, but that seat has moved or has no such forfeit"
    counts = [rejected.ply for rejected in record.refusals]
    if counts != sorted(counts) or any(not 0 <= count <= len(record.plies) for count in counts):
        return f"its rejected moves are out of order, or beyond its {len(record.plies)} plies"
    if any(not 0 <= rejected.seat < seats for rejected in record.refusals):
        return f"a move of a seat was rejected that does not exist: there are {seats}"
    return None


def _fault_of_verdict(record: Record) -> str | None:
    """Return what contradicts the end of a duel by agreement, or by the scores that its bots reported."""
    result, setup = record.result, record.setup
    if result.reason == AGREEMENT and setup.draw_offers is not UNSET:  # unset in records of other programs
        if not setup.draw_offers:
            return "recorded as a draw by agreement, but no draw could be offered"
        return None if result.scores == [0.5, 0.5] else f"recorded as a draw by agreement, but with {result.scores}"
    if result.reason not in REASONS:
        return None
    if len(result.scores) != 2 or not setup.adjudication:
        return f"recorded as {result.reason}, but no such rule was agreed for a duel"
    wrong = _fault_by(Adjudicator(setup.adjudication, opening=len(setup.opening)), record)
    if wrong is None or _fault_by(Adjudicator(setup.adjudication, former=True), record) is None:
        return None
    return wrong


def _fault_by(judge: Adjudicator, record: Record) -> str | None:
    """Return what contradicts the end of a duel as `judge` finds it."""
    result, rules, state, verdict = record.result, record.setup.rules(), record.setup.start(), None
    for number, ply in enumerate(record.plies, 1):
        if verdict is not None:
            return f"it was to be adjudicated ({verdict.reason}) before ply {number}"
        state = advance(rules, state, ply)
        verdict = judge.record_move(ply.seat, score_of(ply), rules.progress(state))
    if verdict is None or (verdict.reason, [*verdict.scores]) != (result.reason, result.scores):
        found = "nothing" if verdict is None else f"{verdict.reason} {[*verdict.scores]}"
        return f"recorded as {result.reason} {result.scores}, what the bots said gives {found}"
    return None


def _fault_of_race(record: Record, boards: RaceBoards) -> str | None:
    """Return what contradicts the numbers and the last positions of a race."""
    result, found = record.result, boards.finishes()
    entrants = boards.seats if 1 <= boards.seats <= MAX_ENTRANTS else 1
    longest = max(sum(ply.seat == entrant for ply in record.plies) for entrant in range(entrants))
    most = record.setup.max_plies + 1  # an entrant's exit comes after its last move
    if (wrong := _fault_of_numbers(record, entrants, longest, most)) is not None:
        return wrong
    if result.finishes is UNSET or not _same(result.finishes, found):
        recorded = "nothing" if result.finishes is UNSET else _costs(finish.cost for finish in result.finishes)
        return f"its finishes do not follow from its plies: recorded are {recorded}, found {_costs(boards.costs())}"
    if (seat := _unproven(result.finishes, found)) is not None:
        cost = _costs([found[seat].cost])
        return f"entrant {seat + 1} is recorded as {PROVEN}, but nothing proves that no solution costs less than {cost}"
    if result.termination == "adjudicated":
        return None
    if (scores := boards.scores(by_time=record.setup.by_time)) != result.scores:
        return f"recorded as {result.scores}, the costs {_costs(boards.costs())} give {scores}"
    return None


def _same(recorded: Sequence[Finish], found: Sequence[Finish]) -> bool:
    """Return whether finishes agree in all that follows from the plies; a referee's own reasons and details do not."""
    return len(recorded) == len(found) and all(
        (one.termination, one.cost) == (other.termination, other.cost)
        and (one.reason == other.reason or one.termination != "rule")
        for one, other in zip(recorded, found, strict=True)
    )


def _unproven(recorded: Sequence[Finish], found: Sequence[Finish]) -> int | None:
    """Return the first entrant whose solution is recorded as proven optimal without a proof."""
    pairs = zip(recorded, found, strict=True)
    return next((seat for seat, (one, other) in enumerate(pairs) if PROVEN == one.reason != other.reason), None)


def _costs(costs: Iterable[float | None]) -> str:
    return ", ".join("-" if cost is None else f"{cost:g}" for cost in costs)


def _fault_of_game(record: Record, boards: Boards) -> str | None:
    """Return what contradicts the numbers and the last position of a duel or a table."""
    if (wrong := _fault_of_numbers(record, boards.seats, len(record.plies), record.setup.max_plies)) is not None:
        return wrong
    result: Result = record.result
    state = boards.of(0)
    ruled: Outcome | None = state.outcome()
    if result.termination == "rule":
        if ruled is None:
            return "recorded as ended by rule, but the last position is not final"
        if (ruled.reason, list(ruled.scores)) != (result.reason, result.scores):
            return f"recorded as {result.reason} {result.scores}, the rules say {ruled.reason} {list(ruled.scores)}"
        return None
    if ruled is not None:
        return f"ended by {result.termination}, but the rules had ended it: {ruled.reason}"
    if result.termination == "adjudicated":
        return _fault_of_verdict(record)
    if result.seat is None:
        return f"ended by {result.termination}, but it does not say whose"
    forfeit = boards.rules.forfeit(state, result.seat)
    if isinstance(forfeit, Outcome) and list(forfeit.scores) != result.scores:
        return f"recorded as {result.scores}, but seat {result.seat} lost by {result.termination}"
    return None
