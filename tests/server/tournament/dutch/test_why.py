"""Words for a board follow from the real decision: who was met, who floated, whose colour was granted."""

from palio_server.tournament.dutch import DutchPlayer, pair_round, why_board, why_bye


def player(number: int, name: str, score: int, met=(), colours="", **more) -> DutchPlayer:
    spelled = tuple("white" if letter == "w" else "black" for letter in colours)
    return DutchPlayer(number, name, score, frozenset(met), spelled, games=len(met), place=number, points=score, **more)


def words(pairing, name: str) -> str:
    board = next(each for each in pairing.boards if name in {each.white.name, each.black.name})
    return " ".join(why_board(pairing, board))


def test_a_leader_that_has_met_everybody_on_the_next_score_floats_further_down():
    players = [
        player(1, "Civetta", 40, (2, 3, 5, 6), "bwbw"),
        player(2, "Aquila", 30, (1, 4, 5, 6), "wbwb"),
        player(3, "Tartuca", 30, (1, 4, 5, 6), "wbwb"),
        player(4, "Oca", 20, (2, 3, 5, 6), "bwbw"),
    ]
    said = words(pair_round(players, 5, 7), "Civetta")
    assert said == (
        "Civetta is alone on 4, so it floats down. "
        "Every other bot on 3 (Aquila and Tartuca) has already met Civetta, and no two bots meet twice. "
        "So it floats down from those in the group on 3. "
        "In the group on 2 Civetta meets Oca, the best-placed bot there. "
        "Both are due Black. Their colours so far are the same (b w b w), so the higher placed, Civetta, gets its due. "
        "(C.04.3: 1.4, C1, C3, 4.2, 5.2.4)"
    )


def test_the_upper_half_meets_the_lower_half_unless_they_have_met():
    players = [player(number, f"P{number}", 0) for number in range(1, 5)]
    assert "number 2 of the upper half meets number 2 of the lower" in words(pair_round(players, 1, 5), "P2")
    met = [player(1, "P1", 0, (3,), "w"), player(2, "P2", 0), player(3, "P3", 0, (1,), "b"), player(4, "P4", 0)]
    assert "By rank P1 would meet P3, which it has already met" in words(pair_round(met, 2, 5), "P1")


def test_the_bye_says_who_could_not_have_it():
    players = [player(number, f"P{number}", 10, (), "") for number in (1, 2)]
    players += [player(3, "P3", 0), player(4, "P4", 0, bye_barred=True), player(5, "P5", 0, bye_barred=True)]
    found = pair_round(players, 2, 5)
    said = " ".join(why_bye(found))
    assert found.bye is not None
    assert found.bye.name == "P3"
    assert said.startswith("5 bots are an odd number: one has the bye. ")
    assert "is in the lowest score group where a bot can have it" in said
    assert "C5" in said


def test_the_stronger_claim_to_a_colour_is_granted():
    players = [player(1, "P1", 10, (3,), "w"), player(2, "P2", 10, (3, 4), "ww")]
    assert "Both are due Black, P2 absolutely (2 more White) and P1 strongly: P2 gets it." in words(
        pair_round(players, 3, 5), "P1"
    )
