"""Two programs under one name are told apart by their builds, and told of each other."""

from palio_rules.contract.messages import Hello
from palio_server.bus.local import LocalBus
from palio_server.lobby.lobby import Lobby


class Nowhere:
    def post(self, topic, envelope): ...
    def close(self, code, reason): ...


async def test_the_second_program_hears_of_the_first_and_the_page_of_both():
    lobby = Lobby(LocalBus(), games=["nim"])

    def join(**said):
        return lobby.join(Hello("ann", ["nim"], **said), Nowhere(), "websocket")

    first = join(build="mine.py 1")
    assert lobby.notice(first) == ""
    assert lobby.notice(join(build="mine.py 1")) == ""  # another instance of the same program
    assert lobby.notice(join()) == ""  # a client that does not say: an older one
    other = join(build="mine.py 2")
    assert "another program plays as ann now: mine.py 1; this one is mine.py 2" in lobby.notice(other)
    assert lobby.builds("ann") == ["mine.py 1", "mine.py 2"]
    lobby.leave(other)
    assert lobby.builds("ann") == ["mine.py 1"]
    assert lobby.builds("bob") == lobby.matches("bob") == []


class Told:
    """Counts who is here as the lobby tells of them."""

    def __init__(self):
        self.here = 0

    def came(self, hello):
        self.here += 1

    def left(self, name):
        self.here -= 1


async def test_a_connection_whose_place_another_takes_has_left():
    told = Told()
    lobby = Lobby(LocalBus(), games=["nim"], visits=told)
    first = lobby.join(Hello("ann", ["nim"]), Nowhere(), "mqtt")
    second = lobby.join(Hello("ann", ["nim"]), Nowhere(), "mqtt")
    assert told.here == 1
    third = lobby.join(Hello("ann", ["nim"], resume=second.id), Nowhere(), "mqtt")
    for session in (first, second, third):
        lobby.leave(session)
    assert told.here == 0


async def test_who_comes_under_a_name_in_use_hears_of_it():
    lobby = Lobby(LocalBus(), games=["nim"])

    def join(name="ann", *, local=False, transport="websocket", token=None, **said):
        hello = Hello(name, ["nim"], **said)
        session = lobby.join(hello, Nowhere(), transport)
        session.token = token
        return session, lobby.greeting(session, hello, local=local)

    first, told = join()
    assert told == ""
    assert join()[1] == (
        "the name ann is in use: one other connection plays under it, too, and all their results are counted together. "
        "Unless they are yours, join under another name"
    )
    assert "2 other connections play" in join(build="mine.py 1")[1]
    assert "another program plays as ann now" in join(build="mine.py 2")[1]
    lobby.leave(first)
    assert join(resume=first.id)[1] == ""  # it comes back, and knows
    assert join("bob", token=7)[1] == join("bob", token=7)[1] == ""  # the name has been proven to be theirs
    assert join("eve", build="e 1", local=True)[1] == join("eve", build="e 1", local=True)[1] == ""  # the operator's
    assert (
        join("kim", transport="mqtt")[1] == join("kim", transport="mqtt")[1] == ""
    )  # one of them, which says it again
    assert "is in use" in join("kim", build="e 1")[1]
