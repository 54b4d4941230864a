"""Records as text: read back exactly, and refused with the line where they cannot be read."""

import importlib.util
import json
import random
import re
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import UNSET
from msgspec.structs import replace

from palio_rules.contract.messages import Info, Result
from palio_rules.errors import BadRecord
from palio_rules.records.faults import fault
from palio_rules.records.record import Ply, Record, RejectedMove, Setup, Void
from palio_rules.records.text import record_from_text, record_to_text
from palio_rules.time_control import TimeControl

DOCS = Path(__file__).parents[3] / "docs" / "reference" / "records.md"

OPTIONS = {
    "breakthrough": [{}, {"rows": 8, "cols": 8}, {"rows": "5", "first": "white"}],
    "dominoes": [{}, {"rows": 3, "cols": 4}, {"board": ".../#.#/..."}],
    "end_of_the_track": [{}, {"max_plies": 20}],
}
texts = st.text(st.characters(codec="utf-8"), max_size=30)
optional = st.just(UNSET)
infos = st.none() | st.builds(
    Info,
    depth=optional | st.integers(0, 99),
    nodes=optional | st.integers(0, 2**53 - 1),
    score=optional | st.floats(allow_nan=False, allow_infinity=False),
    pv=optional | st.lists(texts, max_size=3),
    text=optional | texts,
)
times = st.sampled_from(
    [
        TimeControl(),
        TimeControl(10_000, 100),
        TimeControl(move_ms=500),
        TimeControl(1_000_001, 3, 7, margin_ms=0),
        TimeControl(60_000, moves=40),
    ]
)
moments = st.datetimes(timezones=st.just(UTC))


@st.composite
def records(draw):
    """A random match, whole or cut short, with everything that a record can hold."""
    game = draw(st.sampled_from(sorted(OPTIONS)))
    setup = Setup(game, ("ann", "bob.2"), draw(st.sampled_from(OPTIONS[game])), time=draw(times))
    choose = random.Random(draw(st.integers(0, 10**6)))
    rules, state, opening, plies = setup.rules(), setup.start(), [], []
    longest = draw(st.integers(0, 40) | st.just(999))
    while state.to_move is not None and len(plies) < longest:
        move = choose.choice(list(state.legal_moves()))
        if len(opening) < 2 and state.play(move).to_move is not None:
            opening.append(rules.move_to_wire(move))
        else:
            plies.append(Ply(state.to_move, rules.move_to_wire(move), choose.randrange(10**6)))
        state = state.play(move)
    plies[:3] = [replace(ply, info=draw(infos)) for ply in plies[:3]]
    refusals = [
        RejectedMove(choose.randrange(len(plies) + 1), 1, draw(texts), "off-board", draw(texts)) for _ in range(2)
    ]
    begun = replace(setup, opening=tuple(opening)).start()
    beginnings = [{"opening": tuple(opening)}, {"position": rules.format_state(begun)}]
    if opening:
        first = replace(setup, opening=tuple(opening[:1])).start()
        beginnings.append({"position": rules.format_state(first), "opening": tuple(opening[1:])})
    ended = state.outcome()
    unfinished = Result("time", "flag-fell", [0, 1], 0, draw(texts))
    return Record(
        draw(st.text("0123456789abcdef", min_size=1, max_size=16)),
        replace(
            setup,
            **draw(st.sampled_from(beginnings)),
            seed=draw(st.integers(-5, 2**40)),
            strikes=draw(st.integers(1, 9)),
            rated=draw(st.booleans()),
            times=draw(optional | st.tuples(times, times)),
            draw_offers=draw(st.sampled_from([UNSET, True])),
            submissions=draw(st.sampled_from([UNSET, ("01abc", ""), ("", "01xyz"), ("01abc", "01xyz")])),
        ),
        tuple(plies),
        Result("rule", ended.reason, list(ended.scores)) if ended else unfinished,
        draw(moments),
        draw(moments),
        tuple(sorted(refusals, key=lambda refusal: refusal.ply)),
        draw(texts),
        draw(st.sampled_from([(), ("bubblewrap 0.8.0, memory 1G", ""), ("", "not confined"), ("x\n", "y")])),
        void=draw(optional | st.builds(Void, texts, texts, moments)),
        time_factor=draw(optional | st.floats(0.25, 4.0)),
    )


@settings(max_examples=2 * settings().max_examples // 3)
@given(record=records())
def test_what_bots_said_cannot_drive_the_terminal_that_shows_a_record(record):
    assert record_to_text(record).replace("\n", "").isprintable()


@settings(max_examples=2 * settings().max_examples // 3)
@given(record=records())
def test_a_record_is_read_back_from_its_text_exactly(record):
    text = record_to_text(record)
    assert record_from_text(text) == record
    assert record_to_text(record_from_text(text)) == text
    assert record_from_text(text.replace("\n", "\r\n")) == record


def short_match():
    setup = Setup("breakthrough", ("alice", "bob"), {"rows": 4, "cols": 3}, time=TimeControl(10_000, 100))
    start = datetime(2026, 11, 20, 21, 0, tzinfo=UTC)
    return Record(
        "k3f9",
        setup,
        (
            Ply(0, [[1, 0], [2, 1]], 123, Info(depth=4, nodes=1205, score=0.5, pv=["a3xb2", "a1xb2"])),
            Ply(1, [[3, 0], [2, 1]], 87),
            Ply(0, [[1, 2], [2, 1]], 1042, Info(text="{all or nothing}")),
            Ply(1, [[2, 0], [1, 0]], 3),
            Ply(0, [[2, 1], [3, 0]], 41),
        ),
        Result("rule", "reached-far-row", [1.0, 0.0]),
        start,
        start + timedelta(seconds=2),
        (RejectedMove(3, 1, "[[7,0],[6,0]]", "off-board", "row 7 is off the 4x3 board"),),
        "Spring cup",
    )


def test_what_a_language_model_has_cost_is_read_back():
    record = short_match()
    told = Info(tokens_in=900, tokens_out=30, cost=0.00215, latency_ms=1500)
    plies = (replace(record.plies[0], info=told), *record.plies[1:])
    text = record_to_text(replace(record, plies=plies))
    assert "tokens_in=900 tokens_out=30 cost=0.00215 latency_ms=1500" in text
    assert record_from_text(text).plies[0].info == told


def test_what_an_engine_tells_is_read_back():
    record = short_match()
    told = Info(depth=20, seldepth=31, nps=1_200_000, hashfull=17, tbhits=3, wdl=[90, 880, 30])
    plies = (replace(record.plies[0], info=told), *record.plies[1:])
    text = record_to_text(replace(record, plies=plies))
    assert "seldepth=31 nps=1200000 hashfull=17 tbhits=3 wdl=[90,880,30]" in text
    assert record_from_text(text).plies[0].info == told


def test_a_short_match_as_text():
    lines = record_to_text(short_match()).splitlines()
    assert lines[:6] == [
        '[Event "Spring cup"]',
        '[Match "k3f9"]',
        '[Game "breakthrough"]',
        '[Options "rows=4,cols=3"]',
        '[Seed "0"]',
        '[Seat.black "alice"]',
    ]
    assert '[TimeControl "10+0.1"]' in lines
    assert '[Result "1-0"]' in lines
    assert lines[lines.index("") :] == [
        "",
        '1. a3xb2 {0.123s depth=4 nodes=1205 score=0.5 pv=["a3xb2","a1xb2"]} a1xb2 {0.087s}',
        '2. c3xb2 {1.042s text="\\u007ball or nothing\\u007d"}',
        '{refused white "off-board" "[[7,0],[6,0]]" "row 7 is off the 4x3 board"}',
        "a2-a3 {0.003s}",
        "3. b2-a1 {0.041s}",
        "1-0",
    ]


@pytest.fixture
def nim_for_three(monkeypatch):
    """A three-handed game, which plays on when a seat forfeits; all records are of this game."""
    path = Path(__file__).parents[2] / "plugin" / "palio_nim.py"
    spec = importlib.util.spec_from_file_location("palio_nim", path)
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "palio_nim", module)
    spec.loader.exec_module(module)
    for reader in ("record", "tags"):
        monkeypatch.setattr(f"palio_rules.records.{reader}.game", lambda name: module.Nim3())
    start = datetime(2026, 11, 20, 21, 0, tzinfo=UTC)
    plies = (
        Ply(0, [2, 3], 10),
        Ply(1, None, 9500, out="time"),
        Ply(2, [1, 1], 20, Info()),
        Ply(0, [0, 1], 30),
        Ply(2, [1, 1], 40),
    )
    result = Result("rule", "last-stone", [0.0, 0.0, 1.0])
    return Record("m3", Setup("nim3", ("ann", "bob", "cat")), plies, result, start, start)


def test_a_forfeit_in_a_game_that_plays_on_is_reported_in_its_place(nim_for_three):
    text = record_to_text(nim_for_three)
    assert text.endswith(
        "1. 2x3 {0.010s} {out second time 9.500s} 1x1 {0.020s info}\n2. 0x1 {0.030s} 1x1 {0.040s}\n0-0-1\n"
    )
    assert record_from_text(text) == nim_for_three


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("out second", "out forth", "'forth' is no seat of nim3"),
        ("second time", "second luck", "Invalid enum value 'luck'"),
        ("{out second time 9.500s}", "{gone}", "a move comes here, got '{gone}'"),
    ],
)
def test_a_forfeit_of_no_known_kind_is_refused(nim_for_three, old, new, message):
    with pytest.raises(BadRecord, match=re.escape(message)):
        record_from_text(record_to_text(nim_for_three).replace(old, new))


def test_the_page_on_records_shows_what_is_written():
    page = DOCS.read_text()
    shown = re.search(r"```text\n(.*?)```", page, re.DOTALL)
    as_json = re.search(r"```json\n(.*?)```", page, re.DOTALL)
    assert shown[1] == record_to_text(short_match())
    assert json.loads(as_json[1]) == json.loads(msgspec.json.encode(short_match()))


def test_a_record_that_does_not_reproduce_is_not_written():
    record = short_match()
    wrong = replace(record, result=replace(record.result, scores=[0.0, 1.0]))
    with pytest.raises(BadRecord, match=r"match k3f9 cannot be written as text: recorded as .*export it as JSON"):
        record_to_text(wrong)


def test_a_record_that_would_be_read_differently_is_not_written():
    odd = replace(short_match(), setup=replace(short_match().setup, time=TimeControl(None, 5)))  # no clock to add to
    with pytest.raises(BadRecord, match="would not be read back the same"):
        record_to_text(odd)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('[Event "Spring cup"]', "Spring cup", "line 1: a tag is written"),
        ('[Match "k3f9"]\n', "", r"the tag \[Match ...\] is missing"),
        ('[Match "k3f9"]', '[Match "k3f9"]\n[Match "k3f9"]', "line 3: the tag 'Match' is given twice"),
        ('[Match "k3f9"]', '[Match "k3f9"]\n[Mathc "k3f9"]', "unknown tag 'Mathc'; did you mean 'Match'?"),
        ('[Match "k3f9"]', '[Match "k3\\f9"x"]', "line 2: the value of Match is not a string in quotes"),
        ('"breakthrough"', '"braekthrough"', "did you mean 'breakthrough'?"),
        ("rows=4", "rows=9", "breakthrough option rows=9"),
        ("rows=4,cols=3", "rows", "the tag Options is name=value"),
        ("rows=4,", "cols=3,", "gives 'cols' twice"),
        ('[Seed "0"]', '[Seed "zero"]', "the tag Seed is an integer, got 'zero'"),
        ('[Strikes "3"]', '[Strikes "0"]', "in the tags: Expected `int` >= 1"),
        ('"10+0.1"', '"soon"', "'soon' is no time control"),
        ('[Termination "rule"]', '[Termination "luck"]', "in the tags: Invalid enum value 'luck'"),
        ('"1-0"', '"1-0-nan"', "in the tags"),
        ("1. a3xb2", "a3xb2", "line 22: the move number 1. comes here, got 'a3xb2'"),
        ("a3xb2 {0.123s", "a3xb3 {0.123s", "line 22: a move is written b5-b4"),
        ("a3xb2 {0.123s", "c3xb2 {0.123s", "line 23: c3 is empty"),
        ("{0.087s}", "", "line 23: after a move comes its time as in {0.123s}, got '2.'"),
        ("{0.041s}", "", "the last move has no comment with its time"),
        ("{0.087s}", "{0.087s", "line 22: a comment is not closed"),
        ("{0.087s}", "{0.087s depth=x}", "line 22: Expecting value"),
        ("{0.087s}", "{0.087s deep=4}", "line 22: Object contains unknown field `deep`"),
        ("{refused white", "{refused green", "line 24: 'green' is no seat of breakthrough"),
        ('"off-board" ', "", "line 24: a rejected move is"),
        ("3. b2-a1", "4. b2-a1", "line 26: the move number 3. comes here, got '4.'"),
        ("\n1-0\n", "\n0-1\n", "the moves do not end in the result 1-0"),
    ],
)
def test_a_text_that_is_no_record_is_refused_with_the_place(old, new, message):
    text = record_to_text(short_match())
    assert old in text
    with pytest.raises(BadRecord, match=message.replace("{", r"\{").replace("}", r"\}")):
        record_from_text(text.replace(old, new, 1))


def test_notes_before_a_record_are_not_read_and_count_as_lines():
    note, text = "% 3 archived matches are left out\n\n% a second note\n\n", record_to_text(short_match())
    assert record_from_text(note + text) == short_match()
    with pytest.raises(BadRecord, match=r"^line 27: c3 is empty"):
        record_from_text(note + text.replace("a3xb2 {0.123s", "c3xb2 {0.123s", 1))
    with pytest.raises(BadRecord, match=r"^line 5: a tag is written"):
        record_from_text(note + "none\n" + text)
    with pytest.raises(BadRecord, match=r"^line 1: a tag is written"):
        record_from_text("\n" + note + text)


@settings(max_examples=2 * settings().max_examples)
@given(seed=st.integers(0, 10**9), put_in=st.text(max_size=5))
def test_a_scrambled_text_raises_bad_record_and_nothing_else(seed, put_in):
    text, choose = record_to_text(short_match()), random.Random(seed)
    at, to = sorted(choose.choices(range(len(text)), k=2))
    for scrambled in (text[:at] + put_in + text[to:], text[:at] + put_in + text[at:], text[:to] + text[at:]):
        try:
            record_from_text(scrambled)
        except BadRecord:
            continue


def test_a_deeply_nested_value_is_refused():
    text = record_to_text(short_match()).replace("rows=4", f"rows={'[' * 100_000}")
    with pytest.raises(BadRecord, match="nested too deeply"):
        record_from_text(text)


@pytest.mark.parametrize(
    ("setup", "plies", "result", "tag"),
    [
        (Setup("breakthrough", ("a", "b")), (), Result("stalled", "never-ready", [0.0, 1.0], 0), "black"),
        (
            Setup("chexers", ("a", "b", "c")),
            (Ply(0, None, 0, None, "disconnected"), Ply(1, None, 0, None, "stalled")),
            Result("rule", "last-seat", [0.0, 0.0, 1.0]),
            "red green",
        ),
    ],
)
def test_seats_whose_bots_did_not_come_are_named_and_read_back(setup, plies, result, tag):
    moment = datetime(2026, 11, 1, tzinfo=UTC)
    record = Record("m1", setup, plies, result, moment, moment)
    record = msgspec.structs.replace(record, absent=record.absentees())
    text = record_to_text(record)
    assert f'[Absent "{tag}"]' in text
    assert record_from_text(text).absent == record.absent
    assert not record_from_text(text).rated


def test_a_seat_that_has_played_cannot_be_recorded_as_absent():
    moment = datetime(2026, 11, 1, tzinfo=UTC)
    result = Result("resigned", "resigned", [0.0, 1.0], 0)
    record = Record("m1", Setup("breakthrough", ("a", "b")), (), result, moment, moment, absent=(0,))
    assert "the bot of seat 0 did not come" in str(fault(record))
