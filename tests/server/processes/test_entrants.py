"""Every bot of a tournament has a name of its own, which says what it is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palio_rules.contract.names import is_name
from palio_rules.errors import BadOption
from palio_server.processes.entrants import Entrant, entrants


@pytest.mark.parametrize(
    ("spec", "name"),
    [
        ("random", "random"),
        ("alpha_beta:depth=2", "alpha_beta-depth2"),
        ("mcts:iterations=500,seed=1", "mcts-iterations500-seed1"),
        ("./mine.py", "mine"),
        ("subs/müller.py", "muller"),
        ("subs/José Nuñez.py", "Jose-Nunez"),
        ("bots/mine.py:Clever", "mine-Clever"),
        ("exec:./engines/rusty --threads 1", "rusty-threads-1"),
        ("exec:python3 -u bots/a.py --book=/home/ann/b.bin", "a-bookb.bin"),
        ("exec:java -jar deep.jar", "deep"),
        ("ugi:./engines/rusty option.Threads=1", "rusty-Threads1"),
        ("uci:stockfish,nodes=100", "stockfish-nodes100"),
        ("uci:./stockfish_17.1,option.Move Overhead=50,restart=on", "stockfish_17.1-Move-Overhead50"),
        ("gtp:gnugo --mode gtp --level 5", "gnugo-level-5"),
        ("uci:palio uci mcts:nodes=5", "palio-mcts-nodes5"),
        ("policy:./trained.py:Policy:seed=3", "trained-Policy-seed3"),
        ("policy:policy:Policy", "policy-Policy"),
        ("llm:http://h/v1,modle=m", "llm"),
    ],
)
def test_a_name_is_made_of_the_spec(spec, name):
    assert entrants([spec]) == [Entrant(name, spec)]


def test_a_bot_may_be_let_out_to_the_network_and_says_so_when_it_is_written_down():
    (asks, other) = entrants(["./asks.py:depth=2@network", "exec:./x me@network.example"])
    assert asks == Entrant("asks-depth2", "./asks.py:depth=2", network=True)
    assert other == Entrant("x-me-network.example", "exec:./x me@network.example")
    assert Entrant.read(asks.name, asks.text) == asks


def test_a_file_that_is_called_so_is_a_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "me@network").touch()
    assert entrants(["a=./me@network"]) == [Entrant("a", "./me@network")]


def test_repeated_bots_are_numbered():
    assert [entrant.name for entrant in entrants(["random", "random", "random"])] == ["random", "random-2", "random-3"]


def test_a_name_may_be_chosen():
    assert entrants(["old=./a.py", "new=./b.py"]) == [Entrant("old", "./a.py"), Entrant("new", "./b.py")]


SPECS = st.one_of(
    st.sampled_from(
        ["random", "mcts:nodes=5", "mcts:nodes=6", "uci:fish,nodes=1", "uci:fish,nodes=2", "exec:python3 a.py"]
    ),
    st.builds(
        "{}/mine.py{}".format, st.sampled_from([".", "v1", "v2", "old/v1"]), st.sampled_from(["", ":a=1", ":Mine"])
    ),
    st.builds("policy:./{}.py:seed={}".format, st.just("x" * 60), st.integers(0, 9)),
    st.builds("exec:./run '{}'".format, st.text(alphabet="ab /é-", min_size=1)),
)


@given(st.lists(SPECS, unique=True, min_size=1, max_size=8), st.randoms())
def test_different_specs_have_different_names_whatever_their_order(specs, chance):
    names = {entrant.spec: entrant.name for entrant in entrants(specs)}
    assert len({*names.values()}) == len(specs)
    assert all(is_name(name) and len(name) <= 40 for name in names.values())
    assert {entrant.spec: entrant.name for entrant in entrants(chance.sample(specs, len(specs)))} == names


def test_a_cut_name_is_the_same_in_each_run_and_another_one_for_another_spec():
    [one], [same], [other] = (entrants([f"policy:./{'x' * 60}.py:seed={seed}"]) for seed in (1, 1, 2))
    assert one.name == same.name != other.name


def test_what_tells_two_files_of_one_name_apart_is_in_their_names():
    names = [entrant.name for entrant in entrants(["./mine.py", "v1/mine.py", "b/v1/mine.py:Mine"])]
    assert names == ["mine", "v1-mine", "mine-Mine"]


@pytest.mark.parametrize(
    ("texts", "sentence"),
    [
        (["a=random", "a=greedy"], "two bots are called 'a'"),
        (["random=./a.py", "random"], "two bots are called 'random'"),
        ([f"{'x' * 65}=random"], "is no name for a bot; use up to 64"),
        (["élan=random"], "'élan' is no name for a bot; use up to 64 letters a to z, digits"),
        (["ann lee=random"], "'ann lee' is no name for a bot; use up to 64 letters a to z, digits"),
        (["алиса=./mine.py"], "'алиса' is no name for a bot; use up to 64 letters a to z, digits"),
        (["./.py"], None),
        (["exec:"], "gives no name; write NAME=SPEC"),
    ],
)
def test_names_that_cannot_be_are_refused(texts, sentence):
    if sentence is None:
        assert entrants(texts)[0].name == "py"
    else:
        with pytest.raises(BadOption, match=sentence):
            entrants(texts)


@pytest.mark.parametrize(
    ("spec", "name"),
    [
        ("handout:dominoes:alice/adversarial_search.py:limit=2", "alice-adversarial_search-limit2"),
        ("handout:dominoes:adversarial_search.py", "adversarial_search"),
        ("handout:rush_hour:alice/rh:heur=1", "alice-rh-heur1"),
        ("handout:rush_hour:./bin/rh", "bin-rh"),
    ],
)
def test_coursework_is_called_by_its_folder_and_file(spec, name):
    assert [entrant.name for entrant in entrants([spec])] == [name]


def test_a_spec_that_can_be_no_file_is_one_of_a_bot_all_the_same():
    assert entrants([f"a={'x' * 5000}@network"]) == [Entrant("a", "x" * 5000, network=True)]


def test_a_language_models_bot_is_called_as_its_model_and_may_be_let_out_by_name():
    [one, two] = entrants(["llm:http://10.0.0.7:8080/v1,model=acme/tiny:8b,retries=1", "llm:http://h,model=m@network"])
    assert (one.name, one.spec) == ("acme-tiny-8b", "llm:http://10.0.0.7:8080/v1,model=acme/tiny:8b,retries=1")
    assert (two.name, two.network) == ("m", True)


def test_a_key_in_a_spec_is_refused_before_anybody_reads_it():
    with pytest.raises(BadOption, match="a key has no place in a bot's spec") as raised:
        entrants(["random", "mine=llm:http://h/v1,model=m,api_key=sk-secret-0123456789ab"])
    assert "0123456789ab" not in str(raised.value)
