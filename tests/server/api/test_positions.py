"""Positions for hands: over every game, what is listed can be touched, and what is refused is refused in words."""

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from palio_rules.registry import game, games
from palio_server.api.answers import ApiError
from palio_server.api.positions import Hint, PositionItem, meant_by_order, meant_by_touches, position_item
from palio_server.processes.hint_process import HintsFailed, TooManyHints

START = {"rush_hour": {"board": "...b../...b../aa.b.d/..cccd/....../......"}, "tsp": {"size": 6}}
once = settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)


def first(name):
    rules = game(name)
    return rules, rules.start(rules.parse_options(START.get(name, {})), 1)


def complaint_of(rules, text):
    try:
        rules.parse_state(text)
    except ValueError as error:
        return str(error)


@pytest.fixture
def ask(client, as_type):
    async def ask(name, status=200, **body):
        answer = await client.post(f"/api/games/{name}/position", json=body)
        assert answer.status_code == status, answer.text
        return as_type(answer.content, PositionItem) if status == 200 else answer.json()["error"]["reason"]

    return ask


@pytest.mark.parametrize("name", games())
async def test_the_first_position_is_drawn_with_all_that_hands_may_do(ask, name):
    rules, state = first(name)
    found = await ask(name, options=START.get(name, {}), seed=1)
    assert (found.state, found.to_move, found.over) == (rules.format_state(state), 0, None)
    assert found.scene == rules.scene(state)
    assert found.how
    assert "\n" not in found.how
    if rules.anytime:
        assert found.moves is None
    else:
        assert [each.move for each in found.moves] == [rules.move_to_wire(move) for move in state.legal_moves()]


@pytest.mark.parametrize("name", [name for name in games() if name != "tsp"])
async def test_a_whole_game_is_played_by_touching_what_is_listed(ask, name):
    found = await ask(name, options=START.get(name, {}), seed=1)
    for ply in range(12):
        if found.over is not None:
            break
        move = found.moves[ply * 7 % len(found.moves)]
        if not move.touches:
            assert found.forced == move.move
        touched = [cells[0] for cells in move.touches]
        for some in range(len(touched)):
            assert (await ask(name, state=found.state, touched=touched[:some])).meant is None
        if touched:
            meant = (await ask(name, state=found.state, touched=touched)).meant
            assert (meant.move, meant.notation, meant.refused) == (move.move, move.notation, None)
        found = await ask(name, state=found.state, play=move.move)


@pytest.mark.parametrize(
    ("name", "touched", "move", "refused"),
    [
        ("breakthrough", [[1, 0], [3, 0]], [[1, 0], [3, 0]], "a5 to a3 is not one step down, straight or diagonal"),
        ("breakthrough", [[0, 0]], None, "the pawn on a6 cannot move"),
        ("end_of_the_track", [[4, 4]], None, "none of your blocks stands on e4"),
        ("dominoes", [[7, 0]], [7, 0], "a domino on a1 would lie across the lower edge"),
        ("chexers", [[3, 0], [3, 0]], ["EXIT", [-3, 0]], "red exits where q = 3, not from (-3, 0)"),
    ],
)
async def test_touches_that_the_rules_forbid_come_back_with_the_referees_sentence(ask, name, touched, move, refused):
    meant = (await ask(name, touched=touched)).meant
    assert (meant.move, meant.notation, meant.refused) == (move, "", refused)


async def test_when_the_game_is_over_it_says_how_and_refuses_touches(ask):
    found = await ask("breakthrough", state="..B.../....../....../....../WWW.../B..... white", touched=[[4, 0]])
    assert (found.to_move, found.moves, found.forced) == (None, [], None)
    assert (found.over.reason, found.over.scores) == ("reached-far-row", [1.0, 0.0])
    assert (found.meant.move, found.meant.refused) == (None, "the game is over")


async def test_a_tour_is_an_order_of_marks(ask):
    found = await ask("tsp", options={"size": 5}, order=[3, 1, 4, 0, 2])
    assert (found.hand, found.moves, found.meant.move) == ("order", None, [3, 1, 4, 0, 2])
    assert (found.meant.notation, found.meant.refused) == ("3-1-4-0-2", None)
    for order, sentence in (([0, 1, 1], "city 1 is visited twice"), ([0, 9], "city 9 does not exist, they are 0 to 4")):
        assert (await ask("tsp", state=found.state, order=order)).meant.refused == sentence
    found = await ask("tsp", state=found.state, play=[3, 1, 4, 0, 2])
    assert len(found.scene.path) == 5
    assert "1 submitted" in found.count


async def test_a_thousand_cities_come_with_their_tour(ask):
    found = await ask("tsp", options={"size": 1000}, seed=3, order=list(range(1000)))
    assert found.meant.refused is None
    assert len((await ask("tsp", state=found.state, play=list(range(1000)))).scene.marks) == 1000


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ({"state": "x" * 10_000}, "state: a position ends in ' black' or ' white', got "),
        ({"state": "x" * 300_000}, "state: a text of length <= 200000 is wanted, got "),
        ({"options": {"rows": 99}}, "breakthrough option rows=99: expected `int` <= 8"),
        ({"options": {"row": 6}}, "breakthrough has no option 'row'; did you mean"),
        ({"play": [[1, 0], [4, 0]]}, "play: a5 to a2 is not one step down"),
        ({"play": "b5-b4"}, "play: a move is [[row, col], [row, col]] in integers"),
        ({"touched": [[6, 0]]}, "touched: [6, 0] is off the board of 6 x 6 cells, which count from 0"),
        ({"touched": [[0, -1]]}, "touched: [0, -1] is off the board"),
        ({"order": [1, 2]}, "breakthrough is not played by an order of marks; send touched"),
        ({"order": [1], "touched": [[0, 0]]}, "touched and order are two ways to make a move; leave one of them out"),
        ({"state": "x", "options": {"rows": 6}}, "a state has its options; leave options and seed out"),
    ],
)
async def test_what_makes_no_position_is_refused_with_the_remedy(ask, body, reason):
    assert (await ask("breakthrough", 422, **body)).startswith(reason)


async def test_a_game_that_nobody_knows_is_refused(ask):
    assert "did you mean 'dominoes'?" in await ask("domino", 404)


async def test_a_puzzle_that_takes_too_long_to_find_is_given_up(ask, monkeypatch):
    monkeypatch.setattr("palio_server.api.positions.MOST_WORK", 50)
    assert "the search is given up after 50 positions" in await ask("rush_hour", 422, seed=987_654)


@pytest.mark.parametrize("name", games())
@once
@given(text=st.text(max_size=80), cut=st.integers(0, 60))
async def test_hostile_states_are_refused_with_a_sentence(ask, name, text, cut):
    rules, state = first(name)
    hostile = rules.format_state(state)[:cut] + text
    reason = complaint_of(rules, hostile)
    if reason is not None:
        assert await ask(name, 422, state=hostile) == f"state: {reason}"


anything = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(-2, 9)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=2),
    max_leaves=8,
)
cells = st.lists(st.lists(st.integers(-1, 8) | st.integers(), min_size=2, max_size=2), max_size=4)
orders = st.lists(st.integers(-1, 7) | st.integers(), max_size=8)
keys = {
    "play": anything,
    "touched": cells | anything,
    "order": orders | anything,
    "seed": anything,
    "options": anything,
}


@pytest.mark.parametrize("name", games())
@once
@given(body=st.fixed_dictionaries({}, optional=keys))
async def test_hostile_requests_are_answered_or_refused_with_a_sentence(client, name, body):
    rules, state = first(name)
    at = {} if {"seed", "options"} & body.keys() else {"state": rules.format_state(state)}
    answer = await client.post(f"/api/games/{name}/position", json=at | body)
    assert answer.status_code in (200, 400, 422)
    if answer.status_code != 200:
        assert answer.json()["error"]["reason"]


def test_a_game_without_gestures_is_played_from_a_list(monkeypatch):
    rules, state = first("breakthrough")
    monkeypatch.setattr(type(rules), "gestures", None)
    found = position_item(rules, state)
    assert (found.hand, found.how, found.count) == ("list", "Pick a move from the list.", "")
    assert all(move.touches == [] and move.notation for move in found.moves)
    with pytest.raises(ApiError, match="is not played by touch; pick one of `moves`"):
        meant_by_touches(rules, state, [(1, 0)])
    with pytest.raises(ApiError, match="pick one of `moves`"):
        meant_by_order(rules, state, [1, 0])


def test_what_is_not_drawn_is_played_from_a_list(monkeypatch):
    rules, state = first("breakthrough")
    monkeypatch.setattr(type(rules), "scene", lambda *_: None)
    found = position_item(rules, state)
    assert (found.hand, found.how, found.scene) == ("list", "Pick a move from the list.", None)
    with pytest.raises(ApiError, match="pick one of `moves`"):
        meant_by_touches(rules, state, [(1, 0)])


@pytest.mark.parametrize("name", games())
def test_a_position_can_be_written(name):
    rules, state = first(name)
    assert msgspec.json.decode(msgspec.json.encode(position_item(rules, state)))["hand"] in ("touches", "order", "list")


# --- hints -----------------------------------------------------------------------------------------------------------


@pytest.fixture
def hint(client):
    async def hint(name, state, status=200, **body):
        answer = await client.post(f"/api/games/{name}/hint", json={"state": state, **body})
        assert answer.status_code == status, answer.text
        return msgspec.json.decode(answer.content, type=Hint) if status == 200 else answer

    return hint


@pytest.mark.parametrize("name", games())
async def test_a_hint_is_a_legal_move_by_hand(hint, name):
    rules, state = first(name)
    found = await hint(name, rules.format_state(state), depth=1)
    move = rules.read_move(state, found.move)
    assert (found.notation, found.complete) == (rules.notation(state, move), True)
    assert found.touches == [sorted(cells) for cells in rules.gesture(state, move)]
    assert found.text
    assert found.order == (found.move if name == "tsp" else None)


async def test_the_best_moves_come_with_their_values(hint):
    rules, state = first("breakthrough")
    found = await hint("breakthrough", rules.format_state(state), depth=2, best=3)
    assert len(found.best) == 3
    assert (found.best[0].move, found.best[0].notation, found.text) == (found.move, found.notation, "2 plies deep")
    values = [each.value for each in found.best]
    assert values == sorted(values, reverse=True)
    for each in found.best:
        assert each.notation == rules.notation(state, rules.read_move(state, each.move))


@pytest.mark.parametrize(
    ("name", "state", "status", "reason"),
    [
        ("dominoes", "## vertical", 409, "the game is over; there is nothing to be played"),
        ("dominoes", "?", 422, "state: a position ends in ' vertical' or ' horizontal'"),
        ("domino", "?", 404, "unknown game 'domino'; did you mean 'dominoes'?"),
        ("rush_hour", "aa../..../..../.... 0/500", 409, "the game is over"),
        ("rush_hour", "..b./..b./aab./.c.. 0/500", 409, "this board has no solution"),
    ],
)
async def test_where_there_is_no_hint_it_says_why(hint, name, state, status, reason):
    assert (await hint(name, state, status)).json()["error"]["reason"].startswith(reason)


@pytest.mark.parametrize(
    ("error", "status", "reason"),
    [
        (TooManyHints("8 others wait"), 429, "8 others wait; try again in some seconds"),
        (HintsFailed("the search crashed; try again"), 503, "the search crashed; try again"),
    ],
)
async def test_hints_that_cannot_be_had_now_are_refused_with_the_remedy(
    hint, server, monkeypatch, error, status, reason
):
    async def fail(*_):
        raise error

    monkeypatch.setattr(server.hints, "ask", fail)
    rules, state = first("breakthrough")
    answer = await hint("breakthrough", rules.format_state(state), status)
    assert answer.json()["error"]["reason"] == reason
    assert ("retry-after" in answer.headers) == (status == 429)
