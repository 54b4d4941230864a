"""Matches that never saw a referee, with everything in them that a record can hold; for exports and imports."""

import random
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from palio_db.event_values import KeptMatch, TournamentPlace, as_kept
from palio_rules.contract.messages import Info, Result
from palio_rules.records.boards import RaceBoards, boards_of
from palio_rules.records.record import Analysis, JudgedPly, Ply, Record, RejectedMove, Setup, Void
from palio_rules.time_control import TimeControl

THEN = datetime(2026, 11, 20, 21, tzinfo=UTC)
ASKED = Info(tokens_in=912, tokens_out=31, cost=0.1 / 3, latency_ms=1530)  # what one that asks a language model says
HOSTILE = '=HYPERLINK("x")\r\n{1. e4} [%eval 9] "ü" \\ 😀 } ; %'
CLOCK = TimeControl(10_000, 100)


def positions(record: Record) -> Iterator[Any]:
    """Every position of a match, the first one included; in a race, each on the board of its ply's entrant."""
    boards = boards_of(record.setup)
    yield boards.of(0)
    for ply in record.plies:
        yield boards.play(ply)


def played(
    game: str,
    *bots: str,
    match: str = "m1",
    seed: int = 1,
    opening: int = 0,
    longest: int = 6,
    options: Mapping[str, Any] | None = None,
    say: Callable[[int], Info | None] = lambda _number: None,
    time: TimeControl = CLOCK,
    random_seed: int = 1,
) -> Record:
    """Plies at random, each of 100 ms more than the one before; then the seat to move resigns, in a race all do."""
    choose = random.Random(random_seed)
    setup = Setup(game, bots, dict(options or {}), seed, time=time)
    rules, state, moves = setup.rules(), setup.start(), []
    for _ in range(opening):
        move = choose.choice(list(state.legal_moves()))
        moves.append(rules.move_to_wire(move))
        state = state.play(move)
    setup = Setup(game, bots, dict(options or {}), seed, tuple(moves), time=time)
    boards, plies = boards_of(setup), list[Ply]()

    def play(ply: Ply) -> None:
        boards.play(ply)
        plies.append(ply)

    for number in range(longest):
        seat = number % len(bots) if rules.kind == "race" else boards.to_move(0)
        if seat is None or boards.to_move(seat) is None:
            break
        move = choose.choice(list(boards.of(seat).legal_moves()))
        play(Ply(seat, rules.move_to_wire(move), 100 * (number + 1), say(number)))
    if isinstance(boards, RaceBoards):
        for seat in range(len(bots)):
            if boards.end(seat) is None:
                play(Ply(seat, None, 5, None, "resigned"))
        result = Result("rule", "ranked", boards.scores(), finishes=boards.finishes())
    elif (ended := boards.of(0).outcome()) is not None:
        result = Result("rule", ended.reason, list(ended.scores))
    elif len(bots) > 2:
        setup = Setup(game, bots, dict(options or {}), seed, tuple(moves), time=time, max_plies=max(1, len(plies)))
        result = Result("adjudicated", "ply-cap", [1 / len(bots)] * len(bots))
    else:
        seat = boards.to_move(0)
        assert seat is not None
        forfeit = rules.forfeit(boards.of(0), seat)
        result = Result("resigned", "resigned", list(forfeit.scores), seat)
    return Record(match, setup, tuple(plies), result, THEN, THEN + timedelta(seconds=5))


def duel() -> KeptMatch:
    """Two plies of an opening and six of the game, everything said, rejected moves, analysed, of an event; and void."""
    told = {0: Info(3, 1205, 0.5, ["a3xb2", "a1xb2"], HOSTILE), 1: Info(score=-2.0), 2: Info(), 4: ASKED}
    record = played("breakthrough", "ann", "bob.2", opening=2, say=told.get)
    rejected = (
        RejectedMove(0, 0, "[[7,0],[8,0]]", "off-board", "row 7 is off the board"),
        RejectedMove(6, 0, HOSTILE, "not-a-move", "it is {no} move"),
    )
    more = {"refusals": rejected, "event": "=Cup", "confined": ("bubblewrap 0.8.0", "")}
    own = {name: getattr(record, name) for name in Record.__struct_fields__}
    record = Record(**{**own, **more, "void": Void("one author", "the organiser", THEN)})
    judged = (
        JudgedPly(0, 0, "", (0.5, -0.5)),
        JudgedPly(3, 0, "a3xb2", (None, None), ("win", "loss"), 7, "b3xa2", "?"),
    )
    return as_kept(
        record,
        created_at=THEN - timedelta(hours=1),
        tournament=TournamentPlace(3, "=Cup", "swiss", THEN, 2, 5, 1),
        analysis=Analysis("m1", 0.5, judged, complete=True),
    )


def race() -> KeptMatch:
    """Three entrants, of whom none gets far."""
    return as_kept(played("rush_hour", "ann", "bob", "cid", match="m2", longest=5))


def table() -> KeptMatch:
    """A game for three that goes on without the one that crashed, until it has lasted too long."""
    setup = Setup("chexers", ("ann", "bob", "cid"), max_plies=7)
    rules, boards, plies, choose = setup.rules(), boards_of(setup), list[Ply](), random.Random(5)
    while len(plies) < 7:
        seat = boards.to_move(0)
        assert seat is not None
        ply = Ply(seat, None, 900, None, "crashed")
        if len(plies) != 4:
            move = rules.move_to_wire(choose.choice(list(boards.of(0).legal_moves())))
            ply = Ply(seat, move, 10, ASKED if seat == 0 else None)
        boards.play(ply)
        plies.append(ply)
    result = Result("adjudicated", "ply-cap", [1 / 3] * 3)
    return as_kept(Record("m3", setup, tuple(plies), result, THEN, THEN + timedelta(seconds=1)))


def tours() -> KeptMatch:
    """An anytime race: a tour that is one of the best, one that is no better than the one before, two resignations."""
    square = {"cities": [[0, 0], [0, 10], [10, 10], [10, 0]]}
    setup = Setup("tsp", ("ann", "bob"), square, time=TimeControl(2000))
    plies = (
        Ply(0, [0, 2, 1, 3], 300, Info(score=-48.0)),
        Ply(1, [0, 1, 2, 3], 200),
        Ply(0, None, 100),
        Ply(0, None, 50, None, "resigned"),
    )
    boards = boards_of(setup)
    for ply in plies:
        boards.play(ply)
    result = Result("rule", "ranked", boards.scores(), finishes=boards.finishes())
    return as_kept(Record("m4", setup, plies, result, THEN, THEN + timedelta(seconds=1)))


def everything() -> list[KeptMatch]:
    return [duel(), race(), table(), tours()]
