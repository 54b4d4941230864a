"""A match as engines are told of it; in chess moves and positions pass through unchanged."""

import pytest

from palio_clients.engines.positions import RulesPositions, WirePositions, positions_of
from palio_clients.sdk.failures import PlayerFailed
from palio_rules.contract.messages import GameMessage, SeatOf, Turn
from palio_rules.errors import MalformedMove
from palio_rules.registry import game_from_spec
from palio_rules.time_control import TimeControl

KNIGHTS = "g1f3 g8f6 f3g1 f6g8"


class Match:
    """The messages of a referee in one match, by the rules."""

    def __init__(self, spec="chess", opening=""):
        self.rules, self.options = game_from_spec(spec)
        self.state, self.ply = self.rules.start(self.options), 0
        for move in opening.split():
            self.state = self.state.play(self.rules.read_move(self.state, move))
        chosen = {key: getattr(self.options, key) for key in self.options.__struct_fields__}
        seats = [SeatOf(name, "bot") for name in self.rules.seats]
        setup = self.rules.format_state(self.state)
        self.game = GameMessage("m", self.rules.name, chosen, setup, 0, seats, TimeControl(), 3)
        self.positions = positions_of(self.rules, self.game, "text")

    def play(self, moves, *, told=True):
        for move in moves.split():
            self.state, self.ply = self.state.play(self.rules.read_move(self.state, move)), self.ply + 1
            if told:
                self.positions.play(self.ply, move)

    @property
    def turn(self):
        return Turn("m", self.ply + 1, self.ply, self.rules.format_state(self.state), None, [None, None], None)


def test_chess_passes_through_and_other_games_are_translated():
    assert isinstance(Match().positions, WirePositions)
    assert isinstance(Match("dominoes").positions, RulesPositions)


def test_a_match_from_the_first_position_is_startpos_with_its_moves():
    match = Match()
    assert match.positions.command() == "position startpos"
    match.play("e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 e1g1")
    assert match.positions.command() == "position startpos moves e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 e1g1"


def test_an_opening_is_a_fen_and_what_could_be_repeated_is_told():
    match = Match(opening="e2e4 e7e5")
    fen = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2"
    assert match.positions.command() == f"position fen {fen}"
    match = Match(opening=f"e2e4 e7e5 {KNIGHTS}")
    assert match.positions.command() == f"position fen {fen} moves {KNIGHTS}"


def test_chess960_has_the_files_of_its_rooks():
    match = Match("chess:variant=chess960,start=518", opening="e2e4 e7e5 g1f3 b8c6 f1b5 a7a6")
    assert " w HAha - 0 4" in match.positions.command()
    match.play("e1h1")
    assert match.positions.command().endswith(" moves e1h1")


def test_moves_that_were_missed_are_made_good_by_the_turn():
    match = Match()
    match.play("e2e4 e7e5")
    match.play(KNIGHTS, told=False)
    match.positions.catch_up(match.turn)
    fen = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2"
    assert match.positions.command() == f"position fen {fen} moves {KNIGHTS}"
    match.play("d2d4")
    assert match.positions.command() == f"position fen {fen} moves {KNIGHTS} d2d4"


def test_a_move_is_passed_on_and_a_text_that_is_none_is_refused():
    positions = Match().positions
    assert positions.read("E2E4") == "e2e4"
    assert positions.read("e2e5") == "e2e5", "the referee says why it is illegal"
    for text in ("", "(none)", "Nf3", "e2-e4", "e7e8k", "a1a1a1"):
        with pytest.raises(MalformedMove, match="is no move of chess"):
            positions.read(text)


def test_a_line_is_shown_in_notation_up_to_its_first_illegal_move():
    match = Match()
    match.play("e2e4")
    assert match.positions.line(match.turn, ["c7c5", "g1f3", "d7d6"]) == (["c5", "Nf3", "d6"], "")
    assert match.positions.line(match.turn, ["c7c5", "a1a8"]) == (["c5"], "a1a8")
    assert match.positions.line(match.turn, []) == ([], "")


def test_legal_moves_are_those_of_the_turn():
    match = Match()
    match.play("e2e4")
    assert len(match.positions.legal(match.turn)) == 20
    assert "c7c5" in match.positions.legal(match.turn)


def test_a_position_that_these_rules_do_not_know_is_refused():
    match = Match()
    with pytest.raises(PlayerFailed, match="these rules do not understand the server's position"):
        match.positions.catch_up(Turn("m", 9, 8, "nonsense after e2e4", None, [None, None], None))


def test_a_line_ends_with_a_draw_by_rule_and_one_that_goes_on_after_mate_has_an_illegal_move():
    match = Match(opening="e2e4 e7e5 " + KNIGHTS)
    line, illegal = match.positions.line(match.turn, f"{KNIGHTS} {KNIGHTS} d2d4".split())
    assert (line[:2], illegal) == (["Nf3", "Nf6"], "")
    mate = Match(opening="f2f3 e7e5 g2g4")
    assert mate.positions.line(mate.turn, ["d8h4", "a2a3"]) == (["Qh4#"], "a2a3")
