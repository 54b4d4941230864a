"""A card has a cell for all that came of an encounter: by games or as a whole, byes and forfeits as what they are."""

from palio_db.event_values import EncounterRow, Entry, EventMatch, Plan
from palio_server.tournament.cards import Cell, cards_of
from palio_server.tournament.event import Event


def event_of(*plans, bots=("ann", "bob", "cy")):
    event = Event("breakthrough", [Entry(bot, number) for number, bot in enumerate(bots, 1)])
    for number, plan in enumerate(plans, 1):
        event.add(EncounterRow(number, plan))
    return event


def finish(event, number, game, scores, **fields):
    bots = event.encounter(number).bots
    seated = bots[::-1] if game % 2 else bots
    event.note(EventMatch(f"{number}-{game}", number, game, seated, "finished", scores, **fields))


def cells(event, scoring="games", **choices):
    return {card.bot: list(card.cells) for card in cards_of(event, scoring, **choices)}


def test_where_every_game_counts_each_is_a_cell_with_its_colours():
    event = event_of(Plan(1, 1, ("ann", "bob"), games=2))
    finish(event, 1, 0, (1.0, 0.0))
    assert cells(event)["ann"] == [], "an encounter is not counted before it is over"
    finish(event, 1, 1, (0.5, 0.5))
    assert cells(event) == {
        "ann": [Cell(1, "played", 1.0, (2,), (1.0,), "white"), Cell(1, "played", 0.5, (2,), (0.5,), "black")],
        "bob": [Cell(1, "played", 0.0, (1,), (0.0,), "black"), Cell(1, "played", 0.5, (1,), (0.5,), "white")],
        "cy": [],
    }


def test_as_a_whole_an_encounter_of_two_games_has_no_colour():
    event = event_of(Plan(1, 1, ("ann", "bob"), games=2))
    finish(event, 1, 0, (1.0, 0.0))
    finish(event, 1, 1, (0.5, 0.5))
    assert cells(event, "encounters")["ann"] == [Cell(1, "played", 1.0, (2,), (1.0,))]


def test_as_a_whole_an_encounter_of_one_game_has_its_colours():
    event = event_of(Plan(1, 1, ("bob", "ann")))
    finish(event, 1, 0, (1.0, 0.0))
    assert cells(event, "encounters")["ann"] == [Cell(1, "played", 0.0, (2,), (0.0,), "black")]


def test_a_game_that_was_not_fought_is_a_forfeit_without_a_colour():
    event = event_of(Plan(1, 1, ("ann", "bob")))
    finish(event, 1, 0, (1.0, 0.0), fought=False)
    assert cells(event)["ann"] == cells(event, "encounters")["ann"] == [Cell(1, "forfeit", 1.0, (2,), (1.0,))]


def test_what_a_bot_gives_up_is_a_forfeit_for_each_missing_game_or_left_out():
    event = event_of(Plan(1, 1, ("ann", "bob"), games=2))
    finish(event, 1, 0, (0.0, 1.0))
    event.forfeit(1, "bob")
    played, forfeit = Cell(1, "played", 0.0, (2,), (0.0,), "white"), Cell(1, "forfeit", 1.0, (2,), (1.0,))
    assert cells(event)["ann"] == [played, forfeit]
    assert cells(event, forfeits_count=False)["ann"] == [played]
    assert cells(event, "encounters")["ann"] == [Cell(1, "played", 0.5, (2,), (0.5,))]
    assert cells(event, "encounters", forfeits_count=False)["ann"] == []


def test_byes_are_cells_without_opponents_as_many_as_others_have_games():
    event = event_of(Plan(1, 1, ("ann", "bob"), games=2), Plan(1, 2, ("cy",), games=0, kind="half-bye"))
    assert cells(event)["cy"] == [Cell(1, "half-bye", 0.5)] * 2
    assert cells(event, "encounters")["cy"] == [Cell(1, "half-bye", 0.5)]


def test_the_order_of_entrants_gives_the_numbers():
    event = event_of(Plan(1, 1, ("ann", "bob")))
    finish(event, 1, 0, (1.0, 0.0))
    order = [event.entry(bot) for bot in ("cy", "bob", "ann")]
    assert [(card.number, card.bot) for card in cards_of(event, "games", order)] == [(1, "cy"), (2, "bob"), (3, "ann")]
    assert cells(event, order=order)["ann"][0].opponents == (2,)


def test_an_encounter_whose_games_were_all_aborted_is_none():
    event = event_of(Plan(1, 1, ("ann", "bob")))
    event.note(EventMatch("m", 1, 0, ("ann", "bob"), "aborted"))
    assert cells(event)["ann"] == []


def test_a_bye_of_a_bot_that_did_not_start_is_worth_nothing_and_its_forfeits_count_in_round_robins():
    event = event_of(Plan(1, 1, ("ann", "bob"), games=2), Plan(1, 2, ("cy",), games=0, kind="pairing-bye"))
    event.forfeit(1, "bob")
    assert cells(event, forfeits_count=False)["ann"] == []
    event.broken = {"bob": "it has no licence", "cy": "so has it"}
    found = cells(event, forfeits_count=False)
    assert [cell.points for cell in found["ann"]] == [1.0, 1.0]
    assert [(cell.how, cell.points) for cell in found["bob"]] == [("forfeit", 0.0)] * 2
    assert {(cell.how, cell.points) for cell in found["cy"]} == {("absent", 0.0)}
