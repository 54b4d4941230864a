"""A program on its own stdin and stdout: the messages to it, those from it, and the report of its end."""

import json
from typing import Any

import pytest
from paper_socket import PaperSocket

from palio_rules.contract.codec import MAX_BYTES, Encoding, encode
from palio_rules.contract.messages import (
    Absent,
    Back,
    Draw,
    Error,
    GameMessage,
    Hello,
    Message,
    Move,
    Over,
    Played,
    Ready,
    Rejected,
    Resign,
    Result,
    SeatOf,
    Turn,
)
from palio_rules.time_control import TimeControl
from palio_server.bus import Envelope
from palio_server.bus.local import LocalBus
from palio_server.lobby.session import Session
from palio_server.network.connection import Connection, ProgramConnection

pytestmark = pytest.mark.virtual_clock


class Paper(PaperSocket):
    """Keeps messages as they read."""

    def __init__(self) -> None:
        super().__init__()
        self.messages: list[dict[str, Any]] = []

    def write(self, data: bytes, *, text: bool, urgent: bool) -> None:
        message = json.loads(data)
        assert urgent == (message["type"] != "played")
        self.messages.append(message)


class World:
    def __init__(self) -> None:
        self.paper, self.bus = Paper(), LocalBus()
        self.heard: list[Message] = []
        self.reports: list[str] = []
        self.left = 0
        self.bus.subscribe("palio/bot/a/out/+", lambda _, envelope: self.heard.append(envelope.message))
        connection = Connection(self.paper, self.bus, Encoding.JSON)
        self.program = ProgramConnection(connection, self.paper, self.bus, self.reports.append)
        session = Session.of(Hello("a", ["chess"], program=True), self.program, "lines", None)
        self.program.enter(session, self._leave)

    def _leave(self) -> None:
        assert not self.paper.closed, "first nobody gives it another match"
        self.left += 1

    def post(self, *messages: Message) -> None:
        for message in messages:
            self.program.post("", Envelope(encode(message)))

    def say(self, *messages: Message) -> None:
        for message in messages:
            self.program.hear(encode(message, Encoding.JSON), True)

    def kinds(self) -> list[str]:
        return [message["type"] for message in self.paper.messages]


def game(match: str = "m") -> GameMessage:
    return GameMessage(match, "chess", {}, "start", 0, [SeatOf("white", "a")], TimeControl(1000, 0), 3)


def turn(number: int, match: str = "m") -> Turn:
    return Turn(match, number, 0, "position", [[0, 1]], [None, None], None)


def over(match: str = "m") -> Over:
    return Over(match, Result("rule", "mate", [1.0, 0.0]))


@pytest.fixture
async def world() -> World:
    return World()


async def test_it_hears_what_is_for_programs_and_a_turn_only_once(world: World) -> None:
    world.post(game(), game(), turn(1), turn(1), Absent("m", 1, 5), Back("m", 1, 5), Error("stale-id", "late"))
    world.post(Rejected("m", 1, "no", "no", 2, [None, None]), Played("m", 1, 0, [0, 1], [None, None]), turn(2), over())
    assert world.kinds() == ["game", "turn", "rejected", "played", "turn", "over"]


async def test_what_it_says_is_published_once(world: World) -> None:
    world.post(game(), turn(7))
    world.say(Ready("m"), Ready("m"), Move("m", 7, [0, 1]), Move("m", 7, [0, 2]))
    assert world.heard == [Ready("m"), Move("m", 7, [0, 1])]
    world.post(Rejected("m", 7, "no", "no", 2, [None, None]))
    world.say(Move("m", 7, [0, 2]), Resign("m"), Move("m", 7, [0, 3]))
    assert world.heard[2:] == [Move("m", 7, [0, 2]), Resign("m")]
    assert world.reports == []


async def test_a_draw_that_it_offers_is_published_and_does_not_answer_its_turn(world: World) -> None:
    world.post(game(), turn(7))
    world.say(Draw("m"), Move("m", 7, [0, 1]))
    assert world.heard == [Draw("m"), Move("m", 7, [0, 1])]


async def test_in_its_first_match_it_need_not_say_which(world: World) -> None:
    world.post(game(), turn(1))
    world.say(Ready("?"), Move("?", 1, [0, 1]))
    assert world.heard == [Ready("m"), Move("m", 1, [0, 1])]


async def test_what_is_no_message_is_reported_and_ignored(world: World) -> None:
    world.post(game(), turn(1))
    for line in (b"depth 3", b"x" * (MAX_BYTES + 1)):
        world.program.hear(line, True)
    world.say(Move("m", 99, []), Error("confused", "what is this"), Hello("a", ["chess"]), Move("m", 0, []))
    assert world.heard == []
    assert not world.paper.closed
    assert [report.split(":")[0] for report in world.reports] == [
        "wrote 'depth 3', which is no message",
        "wrote a line of more than 65536 bytes, which is ignored",
        "answers turn 99, which it was never asked; copy the id of the turn",
        "complains",
        "says hello, which a program on stdin and stdout need not; ignored",
    ]
    assert world.reports[0].endswith("; log to stderr instead")
    assert world.kinds() == ["game", "turn"]


async def test_its_connection_ends_with_the_match_and_nobody_gives_it_another_one(world: World) -> None:
    world.post(game())
    world.say(Ready("m"))
    assert world.left == 0
    world.post(over())
    assert (world.left, world.paper.closed) == (1, True)
    assert world.kinds()[-1] == "over"


async def test_a_program_that_stays_gets_the_next_match_with_turns_of_the_same_numbers(world: World) -> None:
    for match in ("m", "n"):
        world.post(game(match), turn(1, match))
        world.say(Ready(match, again=True), Move(match, 1, [0, 1]))
        world.post(over(match))
    world.say(Move("n", 1, [9, 9]), Ready("m"))
    assert not world.paper.closed
    assert world.kinds() == ["game", "turn", "over"] * 2
    assert world.heard[2:] == [Ready("n", again=True), Move("n", 1, [0, 1])]


@pytest.mark.parametrize(
    "last", [Resign("m"), Error("crashed", "of old age"), Error("crashed", "of old age", match="m")]
)
async def test_one_that_gives_its_match_up_does_not_stay(world: World, last: Message) -> None:
    world.post(game())
    world.say(Ready("m", again=True), last)
    assert len(world.heard) == 2
    assert world.heard[-1] == (last if isinstance(last, Resign) else Error("crashed", "of old age", match="m"))
    world.post(over())
    assert (world.left, world.paper.closed) == (1, True)


async def test_about_a_former_match_nothing_counts(world: World) -> None:
    world.post(game("m"), over_after_ready(world, "m"), game("n"), turn(1, "n"))
    world.say(Ready("n", again=True))
    before = len(world.heard)
    world.say(Move("m", 1, []), Resign("m"), Error("crashed", "late", match="m"), Ready("m"))
    assert world.heard[before:] == []


def over_after_ready(world: World, match: str) -> Over:
    world.post(game(match))
    world.say(Ready(match, again=True))
    return over(match)


DIED = Error("died", "it exited with status 3")


async def test_that_it_died_gives_up_the_match_which_whoever_says_so_need_not_know(world: World) -> None:
    world.post(game(), over_after_ready(world, "m"), game("n"))
    world.say(Ready("n", again=True), DIED, DIED)
    assert world.heard[-1] == Error("crashed", "it exited with status 3", match="n")
    assert world.heard.count(world.heard[-1]) == 1
    assert world.paper.messages[-1] == {
        "type": "error",
        "code": "died",
        "reason": "the match is given up",
        "match": "n",
    }
    assert not world.paper.closed, "a match of many goes on"
    world.post(Played("n", 1, 1, [0, 1], [None, None]), over("n"))
    assert world.paper.closed


async def test_one_that_dies_before_its_first_match_has_begun_has_lost_it(world: World) -> None:
    world.post(game())
    world.say(DIED)
    assert world.heard == [Error("crashed", "it exited with status 3", match="m")]


@pytest.mark.parametrize("next_match", [True, False])
async def test_one_that_had_stayed_and_dies_before_it_is_ready_has_lost_nothing(world: World, next_match: bool) -> None:
    world.post(game(), over_after_ready(world, "m"))
    if next_match:
        world.post(game("n"))
    before = len(world.heard)
    world.say(DIED)
    assert world.heard[before:] == []
    assert (world.left, world.paper.closed) == (1, True)


async def test_one_that_has_resigned_and_dies_has_given_up_only_once(world: World) -> None:
    world.post(game())
    world.say(Ready("m"), Resign("m"), DIED)
    assert world.heard == [Ready("m"), Resign("m")]
    world.post(over())
    assert world.paper.closed
