"""An event by its rows, through its format; and without a format that is gone."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from palio_db.event_values import EncounterRow, Entry, EventMatch, Plan, TournamentRow
from palio_rules.errors import BadOption
from palio_server.api.event_views import EventPace, EventView, as_rounds

THEN = datetime(2026, 11, 22, tzinfo=UTC)
ENTRIES = (Entry("ann", 1, 1600.0), Entry("bob", 2), Entry("cid", 3, byes=frozenset({2})))
ROW = TournamentRow(
    id=7,
    name="cup",
    game="breakthrough",
    format="podium",
    rules={"medals": 2},
    settings={"seed": 1},
    stage="running",
    admits="listed",
    worker="palio",
    entries=ENTRIES,
    created_at=THEN,
    starts_at=None,
    finished_at=None,
    announced=None,
    scheduled=0,
    running=1,
    finished=3,
    aborted=0,
)
ROWS = [
    EncounterRow(1, Plan(1, 1, ("ann", "bob"), 2)),
    EncounterRow(2, Plan(1, 2, ("cid",), 0, kind="pairing-bye")),
    EncounterRow(3, Plan(2, 1, ("ann", "cid"), 2, part="final")),
]
MATCHES = [
    EventMatch("m1", 1, 0, ("ann", "bob"), "finished", (1.0, 0.0)),
    EventMatch("m2", 1, 1, ("bob", "ann"), "finished", (0.5, 0.5)),
    EventMatch("m3", 3, 0, ("ann", "cid"), "finished", (0.0, 1.0)),
    EventMatch("m4", 3, 1, ("cid", "ann"), "running"),
]

pytestmark = pytest.mark.usefixtures("podium")


def test_an_event_says_how_far_it_is_and_who_stands_first():
    item = EventView(ROW, ROWS, MATCHES).item()
    assert (item.id, item.title, item.stage, item.bots) == (7, "Podium", "running", ["ann", "bob", "cid"])
    assert (item.round, item.rounds, item.total, item.finished) == (2, 3, 6, 3)
    assert item.leader == "cid"
    assert EventView(replace(ROW, finished=0), [], []).item().leader is None
    assert EventView(replace(ROW, stage="finished"), ROWS, MATCHES).item().rounds == 2
    assert EventView(ROW, [], []).item().rounds is None, "nobody knows before the first round"


def test_the_detail_has_standings_entries_and_what_is_going_on():
    detail = EventView(ROW, ROWS, MATCHES).detail({"ann"}, EventPace(0.5, 6.0))
    assert [(line.bot, line.points, line.tie_breaks) for line in detail.standings] == [
        ("cid", 2.0, [0.0]),  # its bye is worth as many games as the others had
        ("ann", 1.5, [1.0]),
        ("bob", 0.5, [0.0]),
    ]
    assert (detail.tie_breaks, detail.rules, detail.settings) == (["wins"], {"medals": 2}, {"seed": 1})
    assert [(entry.bot, entry.connected, entry.byes) for entry in detail.entries] == [
        ("ann", True, []),
        ("bob", False, []),
        ("cid", False, [2]),
    ]
    assert (detail.games_per_s, detail.seconds_left, detail.note) == (0.5, 6.0, "")
    noted = EventView(replace(ROW, settings={"seed": 1, "note": "it waits"}), ROWS, MATCHES).detail()
    assert (noted.note, noted.settings) == ("it waits", {"seed": 1})


def test_an_event_of_two_has_the_figures_of_its_pairs():
    row = replace(ROW, format="round_robin", rules={}, entries=ENTRIES[:2])
    figures = EventView(row, ROWS[:1], MATCHES[:2]).detail().pair_figures
    assert figures is not None
    assert (figures.first, figures.second, figures.pairs) == ("ann", "bob", [0, 0, 0, 1, 0])
    assert EventView(ROW, ROWS, MATCHES).detail().pair_figures is None


@pytest.mark.parametrize(("format_", "game"), [("sprt", "breakthrough"), ("knockout", "chexers"), ("groups", "tsp")])
def test_one_that_cannot_start_yet_shows_its_entries_and_says_what_is_missing(format_, game):
    row = replace(ROW, format=format_, game=game, rules={}, stage="open", running=0, finished=0, entries=ENTRIES[:2])
    for entries in (ENTRIES[:1], ()):
        detail = EventView(replace(row, entries=entries), [], []).detail()
        assert detail.note.startswith("it cannot start yet: ")
        assert (detail.rounds, [line.bot for line in detail.standings]) == (None, [entry.bot for entry in entries])
        assert detail.title != format_, "the format is there all the same"
    assert EventView(replace(row, stage="cancelled", entries=()), [], []).detail().note == ""


def test_a_round_has_its_pairings_with_the_points_before_it():
    view = EventView(ROW, ROWS, MATCHES)
    first, second = as_rounds(view)
    assert (first.round, first.over, second.over) == (1, True, False)
    pair, bye = first.encounters
    assert (pair.bots, pair.points, pair.before, pair.over) == (["ann", "bob"], [1.5, 0.5], [0.0, 0.0], True)
    assert [(match.match, match.bots, match.scores) for match in pair.matches][1] == ("m2", ["bob", "ann"], [0.5, 0.5])
    assert (bye.kind, bye.bots, bye.games) == ("pairing-bye", ["cid"], 0)
    [final] = second.encounters
    assert (final.part, final.before, final.points) == ("final", [1.5, 2.0], [0.0, 1.0])
    with pytest.raises(KeyError):
        view.round(3)


def test_a_game_has_what_the_rules_said_of_it():
    matches = [replace(MATCHES[0], detail="Black wins by 3.5 points"), MATCHES[1]]
    [pair, _] = EventView(ROW, ROWS, matches).round(1).encounters
    assert [match.detail for match in pair.matches] == ["Black wins by 3.5 points", None]


def test_a_forfeit_is_named_and_counts():
    rows = [replace(ROWS[0], forfeits=frozenset({"bob"}))]
    [pair] = EventView(ROW, rows, MATCHES[:1]).round(1).encounters
    assert (pair.forfeits, pair.points, pair.over) == (["bob"], [2.0, 0.0], True)


def test_why_is_what_the_format_says():
    view = EventView(ROW, ROWS, MATCHES)
    assert view.why(3).sentences == ["ann and cid meet in round 2 by the schedule."]
    for number in (0, 4):
        with pytest.raises(KeyError):
            view.why(number)


def test_a_format_that_is_gone_leaves_points_and_a_sentence():
    view = EventView(replace(ROW, format="carousel"), ROWS, MATCHES)
    detail = view.detail()
    assert (detail.title, detail.format, detail.total) == ("carousel", "carousel", 4)
    assert next((line.rank, line.bot, line.points) for line in detail.standings) == (1, "cid", 2.0)
    assert detail.note.startswith("unknown format 'carousel'")
    assert view.why(1).sentences == [detail.note]
    assert view.round(2).encounters[0].before == [1.5, 2.0]


def test_rules_that_a_newer_format_does_not_know_are_told_likewise():
    assert "has no setting 'jesters'" in EventView(replace(ROW, rules={"jesters": 1}), ROWS, MATCHES).detail().note


def test_a_game_that_is_gone_leaves_counts_and_a_sentence():
    view = EventView(replace(ROW, game="carrom"), ROWS, MATCHES)
    detail = view.detail()
    assert (detail.standings, detail.finished, detail.round, detail.total) == ([], 3, 2, 4)
    assert "the game 'carrom' is not installed here" in detail.note
    with pytest.raises(BadOption, match="carrom"):
        view.round(1)


@pytest.mark.parametrize(("best", "pairs", "verdict"), [(1.0, 400, "H1"), (0.0, 400, "H0"), (1.0, 2, "continue")])
def test_a_test_says_in_the_list_what_it_found(best, pairs, verdict):
    row = replace(ROW, format="sprt", rules={}, entries=ENTRIES[:2])
    rows = [EncounterRow(pair, Plan(pair, 1, ("ann", "bob"), 2)) for pair in range(1, pairs + 1)]
    played = []
    for pair in range(1, pairs + 1):
        score = best if pair % 4 else 0.5  # so that results differ
        for game, bots, scores in ((0, ("ann", "bob"), (score, 1 - score)), (1, ("bob", "ann"), (1 - score, score))):
            played.append(EventMatch(f"t{pair}-{game}", pair, game, bots, "finished", scores))
    assert EventView(row, rows, played).item().verdict == verdict
    assert EventView(ROW, ROWS, MATCHES).item().verdict is None
