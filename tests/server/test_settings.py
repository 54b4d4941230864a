import re

import pytest

from palio_rules.errors import BadOption
from palio_server.ratings.bradley_terry import anchors_on
from palio_server.settings import Settings, load, strangers


def test_flags_win_over_the_environment_and_the_environment_over_defaults():
    settings = load({"PALIO_PORT": "9000", "PALIO_HOST": "127.0.0.2", "HOME": "/"}, port=9001, db=None)
    assert (settings.port, settings.host, settings.db) == (9001, "127.0.0.2", Settings().db)


def test_other_variables_are_told_and_left_aside():
    of_kubernetes = {"PALIO_SERVICE_HOST": "10.0.0.1", "PALIO_PORT": "tcp://10.0.0.1:8000", "PALIO_TOKEN": "x"}
    assert load(of_kubernetes) == Settings()
    assert strangers(of_kubernetes) == (
        "PALIO_SERVICE_HOST, PALIO_PORT in the environment are no settings of Palio and are left aside"
    )
    assert strangers({"PALIO_CONCURENCY": "4", "PALIO_PORT": "1"}) == (
        "PALIO_CONCURENCY in the environment is no setting of Palio and is left aside; "
        "did you mean 'PALIO_CONCURRENCY'?"
    )
    assert strangers({"PALIO_PORT": "1", "PALIO_TEST_POSTGRES": "y", "HOME": "/"}) == ""


@pytest.mark.parametrize(
    ("variable", "text"),
    [("PALIO_PORT", "99999"), ("PALIO_PORT", "eight"), ("PALIO_LADDER", "perhaps"), ("PALIO_AUTH", "none")],
)
def test_a_bad_value_is_refused_with_its_variable_and_itself(variable, text):
    with pytest.raises(BadOption, match=f"{variable}='{text}'"):
        load({variable: text})


def test_a_bad_ladder_time_control_is_refused_at_once():
    with pytest.raises(BadOption, match="10s"):
        load({}, ladder_tc="10s")


def test_variables_of_bots_and_tests_are_left_alone():
    assert load({"PALIO_TOKEN": "x", "PALIO_TEST_POSTGRES": "y", "PALIO_DEBUG": "1"}) == Settings()


@pytest.mark.parametrize(
    ("host", "auth", "is_open"),
    [
        ("127.0.0.1", "auto", True),
        ("::1", "auto", True),
        ("0.0.0.0", "auto", False),
        ("127.0.0.1", "required", False),
        ("0.0.0.0", "open", True),
    ],
)
def test_only_loopback_or_an_explicit_word_opens_the_server(host, auth, is_open):
    assert Settings(host=host, auth=auth).open is is_open


def test_anchors_are_bots_with_known_ratings_from_flag_or_environment():
    assert load({}).anchors == {}
    assert load({"PALIO_ANCHOR": "random=1000,greedy=1450.5"}).anchors == {"random": 1000.0, "greedy": 1450.5}
    assert load({"PALIO_ANCHOR": "random=1000"}, anchor="ann=2000").anchors == {"ann": 2000.0}


def test_an_anchor_may_be_one_leaderboards_and_a_game_of_the_ladder_may_have_settings():
    text = "random=1000,go:cleanup=final_status_list,size=19/gnugo=1800,go:size=19/gnugo=1900,greedy=1200"
    anchors, board = load({}, anchor=text).anchors, "go:size=19,cleanup=final_status_list"
    assert anchors_on(board, anchors) == {"random": 1000.0, "greedy": 1200.0, "gnugo": 1800.0}
    assert anchors_on("go:size=19", anchors)["gnugo"] == 1900.0
    assert anchors_on("go", anchors) == {"random": 1000.0, "greedy": 1200.0}
    boards = load({"PALIO_LADDER_GAMES": "go:size=19; breakthrough"}).ladder_boards
    assert [str(board) for board in boards] == ["go:size=19", "breakthrough"]
    with pytest.raises(BadOption, match="ratings of go are by size, cleanup, suicide, not by 'komi'"):
        load({}, anchor="go:komi=0/gnugo=1800")
    with pytest.raises(BadOption, match="go has no option 'sise'; did you mean 'size'"):
        load({}, ladder_games="go:sise=19")


@pytest.mark.parametrize("text", ["random", "=1000", "random=strong", "random=nan", "random=inf"])
def test_an_anchor_that_is_none_is_refused_when_the_server_starts(text):
    with pytest.raises(BadOption, match="write NAME=RATING"):
        load({}, anchor=text)
    with pytest.raises(BadOption, match="'random' is given twice"):
        load({}, anchor="random=1,random=2")


@pytest.mark.parametrize(
    ("flags", "tables", "guests"),
    [
        ({}, 4, True),
        ({"auth": "required"}, 0, False),
        ({"host": "0.0.0.0"}, 0, False),  # no client listens
        ({"auth": "required", "house_bots": 2}, 2, True),
        ({"auth": "required", "guests": True}, 0, True),
        ({"house_bots": 0}, 0, False),
        ({"guests": False}, 4, False),
    ],
)
def test_people_play_where_no_tokens_are_needed_unless_it_is_set(flags, tables, guests):
    settings = load({}, **flags)
    assert (settings.house_tables, settings.with_guests) == (tables, guests)


def test_house_bots_can_be_set_in_the_environment():
    settings = load({"PALIO_HOUSE_BOTS": "7", "PALIO_GUESTS": "false"})
    assert (settings.house_tables, settings.with_guests) == (7, False)


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("PALIO_PUBLIC_URL", "palio.example", "--public-url 'palio.example' is no site; write scheme and name"),
        ("PALIO_ORIGIN", "https://a.example,b", "--origin 'b' is no site"),
        ("PALIO_FORWARDED_FROM", "10.0.0.0/40", "--forwarded-from '10.0.0.0/40' is no address and no network"),
    ],
)
def test_names_and_networks_that_are_none_are_refused_when_the_server_starts(name, value, sentence):
    with pytest.raises(BadOption, match=re.escape(sentence)):
        load({name: value})


SHARED = {"db": "postgresql://palio@db/palio", "mqtt": "mqtt://broker"}


def test_a_role_has_a_name_of_its_own_and_a_referee_no_port_that_anybody_knows():
    gateway, referee = load({}, role="gateway", **SHARED), load({}, role="referee", **SHARED)
    assert gateway.worker.startswith("gateway-")
    assert referee.worker.startswith("referee-")
    assert (gateway.port, referee.port) == (8000, 0)
    assert (gateway.plays, gateway.lets_in) == (False, True)
    assert (referee.plays, referee.lets_in) == (True, False)
    assert not gateway.house_tables
    assert not gateway.with_guests
    assert load({}, role="referee", port=8001, worker="r1", **SHARED).port == 8001


@pytest.mark.parametrize(
    ("flags", "sentence"),
    [
        ({"db": SHARED["db"]}, "meets the other servers at a broker; give --mqtt"),
        ({"mqtt": SHARED["mqtt"]}, "not a SQLite file; give --db postgresql"),
        ({**SHARED, "house_bots": 2}, "people play on servers that do all of the work"),
        ({**SHARED, "guests": True}, "people play on servers that do all of the work"),
    ],
)
def test_a_role_that_cannot_be_played_is_refused_with_the_remedy(flags, sentence):
    with pytest.raises(BadOption, match=re.escape(sentence)):
        load({}, role="gateway", **flags)


def test_servers_share_the_work_where_they_have_one_database_and_one_broker():
    assert load({}, **SHARED).shares
    assert not load({}, mqtt="mqtt://broker").shares
    assert not load({}, db=SHARED["db"]).shares


def test_the_key_of_language_models_is_no_setting_of_a_server():
    assert load({"PALIO_LLM_KEY": "secret"}) == load({})
