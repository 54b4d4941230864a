"""The setup of a table: seats, times suitable for people, positions to continue from."""

import pytest
from msgspec import UNSET

from palio_rules.errors import BadOption
from palio_rules.registry import game, games
from palio_rules.time_control import TimeControl
from palio_server.arena.table import BY_HAND, STRIKES, TableOrder, TablePlace, seated


def order(name, **more):
    return TableOrder(**{"game": name, "options": {}, "time": TimeControl(), "seed": 1, **more})


@pytest.mark.parametrize("name", games())
def test_every_game_can_be_set_up_and_gives_people_time(name):
    rules = game(name)
    bots = ["guest-a"] if rules.kind == "race" else [f"guest-{seat}" for seat in rules.seats]
    options = {"moves": 2} if name == "rush_hour" else {}  # else its instance takes seconds
    setup = order(name, options=options).setup(bots)
    assert setup.start().to_move is not None
    assert (setup.rated, setup.strikes) == (False, STRIKES)
    assert setup.time == (BY_HAND if rules.anytime else TimeControl())


def test_a_game_goes_on_from_a_position_of_its_own():
    first = order("breakthrough").setup(["a", "b"])
    rules, state = first.rules(), first.start()
    later = state.play(next(state.legal_moves()))
    setup = order("breakthrough").setup(["a", "b"], rules.format_state(later))
    assert setup.start() == later


def test_a_position_that_has_ended_or_that_a_race_is_given_is_refused():
    won = "....../....../....../....../....../BWWWWW white"
    with pytest.raises(BadOption, match="this position ends the game"):
        order("breakthrough").setup(["a", "b"], won)
    with pytest.raises(BadOption, match="rush_hour is a race: it begins with its instance"):
        order("rush_hour").setup(["a"], "whatever")


def test_the_person_sits_where_it_wants_and_the_others_around_it():
    person, one, two = (TablePlace("person", name) for name in "pxy")
    for seat, names in enumerate(["pxy", "xpy", "xyp"]):
        assert "".join(place.name for place in seated(game("chexers"), person, [one, two], seat)) == names
    by_lot = {seated(game("chexers"), person, [one, two], None).index(person) for _ in range(100)}
    assert by_lot == {0, 1, 2}
    assert seated(game("rush_hour"), person, [one], None) == [person, one]


def test_only_people_may_agree_on_a_draw_and_only_where_a_match_can_end_in_one():
    offers = {
        name
        for name in games()
        if game(name).kind == "duel" and order(name).setup("ab", people=True).draw_offers is True
    }
    assert offers == {"chess", "go", "end_of_the_track"}
    assert order("chess").setup(["a", "b"]).draw_offers is UNSET
    assert order("chexers").setup(["a", "b", "c"], people=True).draw_offers is UNSET


def test_too_few_opponents_or_a_seat_that_is_not_there_are_refused():
    person = TablePlace("person", "p")
    with pytest.raises(BadOption, match="breakthrough has 2 seats: name 1 opponents, 0 are named"):
        seated(game("breakthrough"), person, [], 0)
    with pytest.raises(BadOption, match="there is no seat 2; take one from 0 to 1"):
        seated(game("breakthrough"), person, [person], 2)
