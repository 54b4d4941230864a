"""Events that share bots take turns: none waits for a bot while others have it again and again."""

from hypothesis import given
from hypothesis import strategies as st

from palio_db.values import WaitingMatch
from palio_server.arena.event_turns import PATIENCE, EventTurns

BOTS = "abcde"
pairs = st.lists(st.sampled_from(BOTS), min_size=2, max_size=2, unique=True).map(tuple)
planned = st.lists(st.tuples(st.sampled_from([None, 1, 2, 3]), pairs, st.integers(1, 9)), min_size=1, max_size=60)


class Play:
    """Bots with some slots each, and the matches of events, each of some length."""

    def __init__(self, matches, slots, room=99):
        self.lasts = {f"m{number:03}": lasts for number, (_, _, lasts) in enumerate(matches)}
        self.waiting = [WaitingMatch(f"m{number:03}", "nim", bots, event)
                        for number, (event, bots, _) in enumerate(matches)]  # fmt: skip
        self.turns, self.slots, self.room, self.clock = EventTurns(), slots, room, 0
        self.running, self.begun = {}, []

    def is_free(self, bot, _game):
        return sum(bot in match.bots for match in self.running) < self.slots[bot]

    def begin(self):
        while (room := self.room - len(self.running)) > 0:
            self.turns.read(self.waiting)
            candidates = [match for match in self.waiting if self.is_free(match.bots[0], "nim")]
            found, kept = self.turns.choose(
                self.waiting, candidates, self.is_free, lambda _bot, _game: True, min(2, room)
            )
            if not found:
                return
            chosen = [match for match in self.waiting if match.match in found]
            assert len({bot for match in chosen for bot in match.bots}) == sum(len(match.bots) for match in chosen)
            assert not any(bot in kept for match in chosen for bot in match.bots)
            for match in chosen:
                assert all(self.is_free(bot, "nim") for bot in match.bots)
                self.waiting.remove(match)
                self.turns.begun(match)
                self.running[match] = self.clock + self.lasts[match.match]
                self.begun.append(match)

    def tick(self):
        self.clock += 1
        self.running = {match: end for match, end in self.running.items() if end > self.clock}


@given(planned, st.fixed_dictionaries({bot: st.integers(1, 3) for bot in BOTS}))
def test_no_event_waits_for_a_bot_for_more_than_some_turns_of_others_and_all_is_played(matches, slots):
    play = Play(matches, slots)
    events = len({event for event, _, _ in matches})
    while play.waiting or play.running:
        play.begin()
        assert play.running, "something is always played"
        for match in play.waiting:
            for bot in match.bots:
                assert play.turns.passed(bot, match.tournament) < PATIENCE + events
        play.tick()
    assert len(play.begun) == len(matches)


def test_a_bot_in_a_long_test_plays_the_first_match_of_a_new_event_when_its_next_slot_is_free():
    play = Play([(7, ("stockfish", "other"), 9)] * 40 + [(8, ("stockfish", "ann"), 9)],
                {"stockfish": 3, "other": 3, "ann": 1})  # fmt: skip
    late = play.waiting.pop()
    play.begin()
    assert len(play.running) == 3
    play.waiting.append(late)
    assert play.turns.before("stockfish", 8) == 0
    for _ in range(9):
        play.tick()
    play.begin()
    assert play.begun[3] == late


def test_events_without_a_bot_in_common_take_turns_for_the_servers_room():
    play = Play([(1, ("a", "b"), 1)] * 9 + [(2, ("c", "d"), 1)] * 3, dict.fromkeys("abcd", 1), room=1)
    for _ in range(6):
        play.begin()
        play.tick()
    assert [match.tournament for match in play.begun] == [1, 2, 1, 2, 1, 2]


def test_two_bots_that_are_never_free_together_are_kept_for_their_event():
    """Each has a test of its own: one has matches that end at even moments, the other at odd ones."""
    tests = [(1, ("a", "x"), 2)] * 30 + [(2, ("b", "y"), 1)] + [(2, ("b", "y"), 2)] * 30
    play = Play([*tests, (3, ("a", "b"), 1)], dict.fromkeys("abxy", 1))
    play.turns.begun(play.waiting[-1])  # event 3 has had its turn just now
    for _ in range(2 * (PATIENCE + 2)):
        play.begin()
        play.tick()
    assert 3 in {match.tournament for match in play.begun}
