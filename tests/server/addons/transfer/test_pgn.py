"""PGN by the standard's export format, read by a strict reader that knows nothing of ours.

Edwards, "Portable Game Notation: specification and implementation guide" (1994): sections 5 (comments), 6 (escape
mechanism), 7 (tokens), 8.1 (tag pairs), 8.2 (movetext).
"""

import re

import made_matches
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from palio_db.event_values import as_kept
from palio_rules.contract.messages import Info
from palio_rules.time_control import TimeControl
from palio_server.addons.transfer.pgn import pgn_of
from palio_server.ratings.result_files import read_results

ROSTER = ["Event", "Site", "Date", "Round", "White", "Black", "Result"]
TAG = re.compile(r'\[([A-Za-z0-9_]{1,255}) "((?:[^"\\]|\\["\\])*)"\]')
TOKEN = re.compile(r"\{[^}]*\}|[0-9]+\.+|--|1-0|0-1|1/2-1/2|\*|[A-Za-z0-9][A-Za-z0-9_+#=:\-]*")
texts = st.text(st.characters(codec="utf-8"), max_size=60)


def strictly_read(text):
    """The games of a PGN: tags and tokens. Fails where the standard is not kept."""
    games, state = [], "before"
    assert text.endswith("\n\n")
    for line in text.split("\n")[:-1]:
        assert "\t" not in line
        assert "\r" not in line
        if line.startswith("%"):
            assert len(line) <= 80
            assert state == "before"
        elif state == "before":
            games.append(({}, []))
            state = "tags"
        if state == "tags" and not line.startswith("%"):
            if not line:
                state = "moves"
                continue
            found = TAG.fullmatch(line)
            assert found, line
            assert len(found[2]) <= 255
            assert found[2].isprintable()
            assert found[1] not in games[-1][0], "a tag is given once"
            games[-1][0][found[1]] = re.sub(r"\\(.)", r"\1", found[2])
        elif state == "moves":
            if line:
                assert len(line) <= 80
                assert not line.startswith(("[", ";"))
                games[-1][1].append(line.lstrip())  # a line break is white space
            else:
                state = "before"
    for at, (tags, lines) in enumerate(games):
        assert list(tags)[:7] == ROSTER
        text, tokens, place = " ".join(lines), [], 0
        while place < len(text):
            found = TOKEN.match(text, place)
            assert found, text[place : place + 80]
            tokens.append(found[0])
            place = found.end()
            assert place == len(text) or text[place] == " "
            place += 1
        assert tokens[-1] == tags["Result"]
        games[at] = tags, tokens
    return games


@pytest.mark.parametrize("kept", made_matches.everything(), ids=lambda kept: kept.setup.game)
@pytest.mark.parametrize("records", [True, False])
def test_it_keeps_the_standard(kept, records):
    [(tags, tokens)] = strictly_read(pgn_of(kept, records=records))
    assert tags["Variant"] == kept.setup.game
    moves = [token for token in tokens[:-1] if not token.startswith("{") and not token.rstrip(".").isdecimal()]
    assert len(moves) == int(tags["PlyCount"]) == len(kept.setup.opening) + len(kept.plies)


def test_a_duel_as_readers_of_chess_know_it():
    kept = replace(made_matches.duel(), refusals=())
    [(tags, tokens)] = strictly_read(pgn_of(kept))
    assert {name: tags[name] for name in ROSTER} == {
        "Event": "=Cup", "Site": "?", "Date": "2026.11.20", "Round": "2.5.2", "White": "ann", "Black": "bob.2",
        "Result": "0-1",
    }  # fmt: skip
    assert (tags["TimeControl"], tags["Termination"], tags["SetUp"]) == ("10+0.1", "normal", "1")
    assert tags["FEN"] == kept.setup.rules().format_state(kept.setup.first())
    assert (tags["Seat1"], tags["Seat2"], tags["Void"]) == ("black: ann", "white: bob.2", "one author")
    assert tokens[:7:3] == ["1.", "1...", "2."]
    assert tokens[2] == tokens[5] == "{book}"
    assert tokens[8] == (
        '{[%clk 0:00:10] [%emt 0:00:00.100] [%eval 0.50,3] =HYPERLINK("x") (1. e4) [ %eval 9] "ü" \\ 😀 ) ; %}'
    )
    assert tokens[11] == "{[%clk 0:00:09.900] [%emt 0:00:00.200] [%eval 2.00]}", "from White's view"


def test_what_an_engine_tells_is_in_the_comment():
    kept = replace(made_matches.duel(), refusals=())
    told = Info(depth=9, seldepth=14, nodes=50, nps=250, hashfull=17, tbhits=3, wdl=[90, 880, 30], pv=["a5-a4", 'x"}'])
    kept = replace(kept, plies=(replace(kept.plies[0], info=told), *kept.plies[1:]))
    [(_, tokens)] = strictly_read(pgn_of(kept))
    assert tokens[8].endswith('n=50 sd=14 nps=250 hashfull=17 tbhits=3 wdl=90/880/30 pv="a5-a4 x)"}')


def test_three_and_races_have_scores_and_no_result_of_chess():
    [(tags, tokens)] = strictly_read(pgn_of(made_matches.table()))
    assert (tags["White"], tags["Black"], tags["Result"]) == ("ann", "bob:cid", "*")
    assert tags["Scores"] == "0.333333 0.333333 0.333333"
    assert "{[%emt 0:00:00.900] out: crashed}" in [re.sub(r"\[%clk [^]]*\] ", "", token) for token in tokens]
    [(tags, tokens)] = strictly_read(pgn_of(made_matches.tours()))
    assert (tags["White"], tags["Black"], tags["Scores"]) == ("ann:bob", "?", "0 1")
    assert tags["Finish2"] == "adjudicated proven-optimal 40.0"
    assert tokens[:3] == ["1.", "--", "{[%seat 1] [%move 0-2-1-3] [%clk 0:00:01.700] [%emt 0:00:00.300]}"]


@pytest.mark.parametrize(
    ("time", "written"),
    [
        (TimeControl(10_000), "10"), (TimeControl(10_000, 100), "10+0.1"), (TimeControl(move_ms=500), "1/0.5"),
        (TimeControl(), "-"), (TimeControl(60_000, 0, 500), "60"),
    ],
)  # fmt: skip
def test_time_controls_are_the_standards(time, written):
    [(tags, _)] = strictly_read(pgn_of(as_kept(made_matches.played("dominoes", "a", "b", time=time))))
    assert tags["TimeControl"] == written


@given(name=texts, text=texts, event=texts)
@settings(max_examples=100)
def test_no_text_of_a_player_breaks_the_form_or_says_what_is_not_so(name, text, event):
    record = made_matches.played("dominoes", name, f"{name}2", longest=2, say=lambda _: Info(text=text))
    [(tags, tokens)] = strictly_read(pgn_of(as_kept(replace(record, event=event))))
    comments = [token for token in tokens if token.startswith("{")]
    assert len(comments) == 2
    for comment in comments:
        assert re.sub(r"^\{(\[%(move|clk|emt) [^]]*\] ?)+", "", comment).count("[%") == 0
    if event.isprintable() and event:
        assert tags["Event"] == event


def test_our_own_reader_of_results_takes_it():
    kept = as_kept(made_matches.played("breakthrough", "ann", "bob.2"))
    results = read_results("games.pgn", pgn_of(kept).encode())
    assert [(game.first, game.second, game.score) for game in results.games] == [("ann", "bob.2", 0.0)]
