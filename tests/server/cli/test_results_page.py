"""The results page is one file: escaped, without requests, and complete without its script."""

import json
import re
from dataclasses import replace
from datetime import UTC, datetime
from html.parser import HTMLParser

import pytest
from made_matches import duel, race, table

from palio_db.event_values import EncounterRow, Entry, EventMatch, Plan, TournamentRow
from palio_server.cli.results_page import replays, results_page
from palio_server.cli.results_page.replays import chosen_replays
from palio_server.tournament.event import Event
from palio_server.tournament.event_faults import EventFault
from palio_server.tournament.event_report import EventReport
from palio_server.tournament.format import format_of

THEN = datetime(2026, 11, 20, tzinfo=UTC)
HOSTILE = "</script><img src=x onerror=alert(1)>\u202e\x07"


def fault(record, reason="crashed", sentence="KeyError: 1", game=1):
    bot, *others = record.setup.bots
    return EventFault(bot, reason, sentence, 1, record.match, game, 1, tuple(others))


def page_of(record, faults, name="cup", records=None, detail=None):
    bots = record.setup.bots
    event = Event(record.setup.game, [Entry(bot, number) for number, bot in enumerate(bots, 1)])
    event.add(EncounterRow(1, Plan(1, 1, bots)))
    scores = tuple(record.result.scores)
    event.note(EventMatch(record.match, 1, 0, bots, "finished", scores, detail=detail))
    row = TournamentRow(
        7, name, record.setup.game, "round_robin", {}, {}, "finished", "listed", "w", tuple(event.entries), THEN, None,
        THEN, None, 0, 0, 1, 0,
    )  # fmt: skip
    report = EventReport(event, format_of("round_robin", {"games_per_encounter": 1}), faults=faults)
    return results_page(row, report, [record] if records is None else records)


class Tags(HTMLParser):
    """All elements of a page, and whether each that must be closed is."""

    EMPTY = frozenset(("meta", "input", "path", "circle", "rect", "br"))

    def __init__(self, page):
        super().__init__()
        self.open, self.seen, self.texts = [], [], []
        self.feed(page)
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.seen.append((tag, dict(attrs)))
        if tag not in self.EMPTY:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.seen.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)


@pytest.mark.parametrize("made", [duel, table, race])
def test_every_kind_of_game_has_standings_faults_and_a_replay_in_plain_html(made):
    record = made()
    tags = Tags(page_of(record, [fault(record)]))
    words = " ".join(tags.texts)
    for wanted in ("Standings", "Games lost by faults", "KeyError: 1", "Replays", "Rounds", *record.setup.bots):
        assert wanted in words
    assert [tag for tag, _ in tags.seen].count("svg") == 1
    assert any(attributes.get("href") == "#game-1" for tag, attributes in tags.seen if tag == "a")
    assert any(attributes.get("id") == "game-1" for tag, attributes in tags.seen if tag == "details")


def test_nothing_is_loaded_from_elsewhere():
    record = duel()
    page = page_of(record, [fault(record)])
    assert not re.search(r"\b(?:src|href)\s*=\s*[\"'](?!#)", page)
    assert "url(" not in page
    assert "@import" not in page
    assert re.findall(r"https?:", page) == []


def test_texts_of_others_are_escaped_in_html_and_in_the_script_s_data():
    record = duel()
    page = page_of(record, [fault(record, HOSTILE, HOSTILE)], name=HOSTILE)
    tags = Tags(page)
    assert "img" not in [tag for tag, _ in tags.seen]
    assert not any(name.startswith("on") for _, attributes in tags.seen for name in attributes)
    assert "\u202e" not in page
    assert "\x07" not in page
    assert page.count("</script>") == 2, "one of data, one of the page's script"


def test_the_frames_are_the_positions_of_the_match():
    record = duel()
    [drawing] = chosen_replays([record], [fault(record)]).shown
    assert len(drawing.frames) == len(drawing.moves) == len(record.setup.opening) + len(record.plies) + 1
    assert drawing.moves[0] == "first position"
    assert drawing.moves[-1].startswith(f"{len(drawing.moves) - 1}. ")
    data = json.loads(drawing.data())
    drawn = ["".join(data["parts"][part] for part in frame) for frame in data["frames"]]
    assert len(set(drawn)) == len(drawn)
    assert drawn[-1] == drawing.last
    assert all(each.startswith("<svg ") and each.endswith("</svg>") for each in drawn)


def test_a_page_has_a_limit_and_says_how_many_replays_have_no_place(monkeypatch):
    record = duel()
    others = [type(record)(**{**as_dict(record), "match": f"m{number}"}) for number in range(5)]
    faults = [fault(each, game=number) for number, each in enumerate(others, 1)]
    faults[4] = replace(faults[4], reason="time")
    size = len(chosen_replays(others[:1], faults[:1]).shown[0].data())
    found = chosen_replays(others, faults, most_bytes=4 * size)
    assert found.left_out == 5 - len(found.shown) > 0
    assert {drawing.faults[0].reason for drawing in found.shown} == {"crashed", "time"}, "one of each kind comes first"
    positions = len(found.shown[0].frames)
    with monkeypatch.context() as patched:
        patched.setattr(replays, "MOST_DRAWN", 3 * positions + 1)
        assert len(chosen_replays(others, faults).shown) == 3
    monkeypatch.setattr(replays, "MOST_REPLAYS", 2)
    page = page_of(others[0], faults, records=others)
    assert "3 more games with a fault had no place in this file" in page
    assert page.count('<figure class="replay">') == 2


def test_of_a_long_match_the_last_positions_are_shown(monkeypatch):
    monkeypatch.setattr(replays, "MOST_POSITIONS", 2)
    record = duel()
    page = page_of(record, [fault(record)])
    positions = len(record.setup.opening) + len(record.plies) + 1
    assert f"The first {positions - 2} positions are left out." in page


def test_a_match_without_a_record_is_listed_all_the_same():
    record = duel()
    page = page_of(record, [fault(record)], records=[])
    assert f"palio match show {record.match}" in page
    assert "<figure" not in page


def test_without_faults_the_page_says_so():
    assert "<p>None.</p>" in page_of(duel(), [])


def as_dict(record):
    return {name: getattr(record, name) for name in record.__struct_fields__}


def test_a_round_has_what_the_rules_said_of_its_game():
    record = duel()
    assert "Black wins by 3.5 points" in Tags(page_of(record, [], detail="Black wins by 3.5 points")).texts
    assert "played" in (texts := Tags(page_of(record, [])).texts)
    assert "Black wins by 3.5 points" not in texts
