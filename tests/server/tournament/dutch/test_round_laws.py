"""Laws of every round: no two players meet twice, colours stay in bounds, one bye at most, and order
does not matter.
"""

from dataclasses import replace
from itertools import pairwise
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from palio_server.tournament.dutch import pair_relaxed, pair_round, players_of

seeds = st.integers(0, 10**6)
few = settings(max_examples=12, deadline=None)


@few
@given(seeds)
def test_nobody_meets_twice_and_everybody_is_paired_once(simulate, seed):
    for pairing in simulate(seed).pairings:
        numbers = [player.number for board in pairing.boards for player in board[:2]]
        numbers += [pairing.bye.number] if pairing.bye else []
        assert len(set(numbers)) == len(numbers)
        assert sum(len(report.residents) for report in pairing.brackets) == len(numbers)
    for card in simulate(seed).cards:
        opponents = [cell.opponents[0] for cell in card.cells if cell.how == "played"]
        assert len(set(opponents)) == len(opponents)


@few
@given(seeds)
def test_nobody_has_a_colour_three_times_in_a_row_or_three_more_of_it_before_the_last_round(simulate, seed):
    tournament = simulate(seed)
    for card in tournament.cards:
        cells = [cell for cell in card.cells if cell.colour and cell.round < tournament.rounds]
        signs = [1 if cell.colour == "white" else -1 for cell in cells]
        assert all(abs(sum(signs[:end])) <= 2 for end in range(len(signs) + 1))
        assert not any(one == two == three for (one, two), (_, three) in pairwise(pairwise(signs)))


@few
@given(seeds)
def test_nobody_has_a_second_bye_nor_one_after_a_win_without_a_game(simulate, seed):
    for card in simulate(seed).cards:
        free = [cell for cell in card.cells if cell.how != "played" and cell.points == 1.0]
        assert all(cell.how != "pairing-bye" for cell in free[1:])


@few
@given(seeds, st.randoms(use_true_random=False))
def test_the_same_cards_in_any_order_give_the_same_round(simulate, seed, random: Random):
    tournament = simulate(seed, size=random.randint(5, 16))
    round_ = len(tournament.pairings)
    cards = list(tournament.cards)
    active = {
        card.number
        for card in cards
        if any(c.round == round_ and (c.opponents or c.how == "pairing-bye") for c in card.cells)
    }
    random.shuffle(cards)
    players = list(players_of(cards, round_, active).values())
    random.shuffle(players)
    again = pair_round(players, round_, tournament.rounds, tournament.initial)
    assert again.boards == tournament.pairings[-1].boards
    assert again.bye == tournament.pairings[-1].bye


@few
@given(st.integers(1, 9), st.integers(0, 10**6))
def test_who_has_met_everybody_is_paired_all_the_same_and_it_is_told(simulate, size, seed):
    """A field that has more rounds than opponents: each round has all of them, and says what was given up."""
    tournament = simulate(seed, size=max(size, 3), rounds=2)
    players = players_of(tournament.cards, 3, {card.number for card in tournament.cards})
    all_players = frozenset(players)
    stuck = [
        replace(player, met=all_players - {number}, bye_barred=True, history=tuple(sorted(all_players - {number})))
        for number, player in players.items()
    ]
    found = pair_relaxed(stuck, 3, 5)
    assert 2 * len(found.boards) + (found.bye is not None) == len(stuck)
    assert found.relaxed
