"""The schedule of a seed: how many servers, bots and matches, and each fault with its target and its moment.

A frozen value that follows from its seed alone. The faults are written as text and read again, so that a failing seed
with a few of its faults fits on a command line.
"""

import re
from dataclasses import dataclass, replace
from random import Random
from typing import Self

from palio_rules.errors import nearest

FAULTS_UNTIL_MS = 5_000  # no fault begins later; the last ones end soon after
KINDS = {  # and how likely each is, for how long at least and at most (ms)
    "crash": (9, 100, 2_500),  # a server is killed, and started again after so long
    "crash-before-commit": (3, 100, 2_000),  # the next time it commits
    "crash-after-commit": (3, 100, 2_000),
    "crash-before-result": (3, 100, 2_000),  # the next time it commits a result
    "crash-after-result": (3, 100, 2_000),
    "stop": (3, 100, 1_500),  # it ends in order, and is started again
    "pause": (9, 200, 1_500),  # it stands still, as after SIGSTOP; every other time for longer than its leases
    "pause-before-commit": (4, 200, 1_500),  # when it is about to write
    "pause-before-result": (7, 200, 1_500),
    "pause-before-release": (5, 200, 1_500),  # of a match whose bots are not there
    "commit-lost": (4, 0, 0),  # its next commit fails, and is undone
    "commit-unanswered": (4, 0, 0),  # its next commit is done, and reported as failed
    "result-lost": (4, 0, 0),
    "result-unanswered": (6, 0, 0),
    "db-away": (4, 100, 3_000),  # the database answers no process
    "db-restart": (10, 50, 2_500),  # at its next call of a method of the store it stops answering, in the middle of it
    "db-slow": (4, 100, 3_000),  # each transaction takes up to a second more
    "db-full": (3, 100, 3_000),  # nothing can be written
    "clock": (6, 0, 0),  # a server's wall clock jumps by an hour, or minutes
    "cut": (12, 0, 800),  # a bot's connection breaks; the server notices so much later
    "stall": (6, 50, 1_500),  # nothing comes or goes on it for so long
    "careless": (12, 300, 3_000),  # its messages are doubled, lost or late for so long
    "bot-crash": (6, 20, 1_500),  # a bot forgets everything, and comes back
    "second": (5, 0, 0),  # another program with the bot's name comes in
    "gather": (5, 0, 0),  # all bots move to another server
    "broker-crash": (4, 50, 1_500),  # forgets everything, and comes back
    "broker-careless": (4, 200, 2_000),  # messages are doubled, lost or overtaken for so long
}
CALLS = {  # by part of a server, the methods of the store that it calls: the database may restart at each
    "matches": (
        "claim_these", "ended_since", "finish", "journal", "matches", "note_seen", "orphans", "outline", "reclaim",
        "renew", "reschedule", "schedule", "take_over", "tournaments", "waiting",
    ),
    "entrants": ("encounters", "event_matches", "match", "plan", "record", "revoked_bots", "set_stage", "tournament"),
    "ladder": ("abort", "leaderboard", "match", "record", "schedule_many", "still_waiting"),
    "tables": ("abort", "schedule"),
    "analyses": ("keep_analysis",),
    "ratings": ("head_to_head", "leaderboard", "rated_games", "save_ratings"),
}  # fmt: skip
FOR_ALL = ("db-away", "db-slow", "db-full", "broker-crash", "broker-careless")
FOR_BOTS = ("cut", "stall", "careless", "bot-crash", "second")
LASTING_MS = {"clock": (-3_600_000, -60_000, -3_000, 3_000, 60_000, 3_600_000)}
_ONE = re.compile(r"([a-z-]+)@(\d+)(?::([\w.-]+))?(?:\+(-?\d+))?")


@dataclass(frozen=True, slots=True, order=True)
class Fault:
    """`kind` befalls `whom` (a server, a bot, a method of the store or "") at `at_ms`; `ms`: how long, or far."""

    at_ms: int
    kind: str
    whom: str = ""
    ms: int = 0

    def __str__(self) -> str:
        whom = f":{self.whom}" if self.whom else ""
        return f"{self.kind}@{self.at_ms}{whom}" + (f"+{self.ms}" if self.ms else "")

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read what `str` wrote. Raises ValueError."""
        found = _ONE.fullmatch(text.strip())
        if not found:
            raise ValueError(f"{text!r} is no fault; write KIND@MS, KIND@MS:WHOM or KIND@MS:WHOM+MS")
        kind, at, whom, ms = found.groups()
        if kind not in KINDS:
            raise ValueError(f"unknown fault {kind!r}; {nearest(kind, KINDS)}")
        return cls(int(at), kind, whom or "", int(ms or 0))


@dataclass(frozen=True, slots=True)
class Schedule:
    """One world. Times are milliseconds of its loop, from its beginning."""

    seed: int
    servers: int
    bots: int
    everywhere: bool  # each bot is connected to every server; else all to one at a time
    broker: int  # bots that come by MQTT
    matches: int  # beside the event
    entrants: int  # of the event, a round robin; 0: there is none
    concurrency: int
    lease_ms: int
    resend_ms: int
    think_ms: int  # how long a bot thinks, mostly, at most
    viewer: bool
    ratings: bool
    ladder: bool
    tables: int  # that people ask for
    analyses: bool  # every match is analysed
    faults: tuple[Fault, ...]

    @classmethod
    def of(cls, seed: int) -> Self:
        """The schedule of a seed."""
        draw, beside = Random(f"schedule {seed}"), Random(f"beside matches {seed}")
        servers = draw.choices((1, 2, 3), (5, 6, 1))[0]
        bots = draw.choices((4, 6, 8, 20), (8, 8, 5, 1))[0]
        broker = draw.choice((0, 0, 0, 2, 3)) if draw.random() < 0.8 else 0
        found = cls(
            seed=seed,
            servers=servers,
            bots=bots,
            everywhere=servers > 1 and draw.random() < 0.5,
            broker=broker,
            matches=draw.randrange(2, 4) + bots // 6,
            entrants=draw.choices((0, 3, 4), (21, 1, 1))[0],
            concurrency=draw.choice((2, 4, 16)),
            lease_ms=draw.choice((1200, 1800, 2400)),
            resend_ms=draw.choice((400, 1000, 2000)),
            think_ms=draw.choice((40, 100, 300)),
            viewer=draw.random() < 0.15,
            ratings=draw.random() < 0.06,
            ladder=beside.random() < 0.06,
            tables=beside.choices((0, 1, 3), (12, 1, 1))[0],
            analyses=beside.random() < 0.1,
            faults=(),
        )
        if beside.random() < 0.05:
            found = replace(found, entrants=3)
        count = draw.choice((0, 1, 2, 3, 4, 6, 8, 12))
        return replace(found, faults=tuple(sorted(_fault(found, draw) for _ in range(count))))

    def crowded(self, bots: int) -> Self:
        """The same faults among so many bots, without a broker, with a match for every two of them, all at once."""
        faults = tuple(fault for fault in self.faults if not fault.kind.startswith("broker"))
        crowd = replace(
            self,
            bots=bots,
            broker=0,
            matches=bots // 2,
            entrants=0,
            concurrency=bots,
            viewer=False,
            ladder=False,
            tables=0,
            analyses=False,
        )
        return crowd.only(faults)

    def only(self, faults: tuple[Fault, ...]) -> Self:
        """The same world with these faults instead."""
        return replace(self, faults=faults)

    def server_names(self) -> list[str]:
        return [f"server-{number}" for number in range(1, self.servers + 1)]

    def bot_names(self) -> list[str]:
        return [f"bot-{number:02}" for number in range(1, self.bots + 1)]

    def text(self) -> str:
        """The faults, for a command line."""
        return " ".join(map(str, self.faults)) or "none"


def parse_faults(text: str) -> tuple[Fault, ...]:
    """Read what `Schedule.text` wrote. Raises ValueError."""
    return () if text.strip() == "none" else tuple(sorted(map(Fault.parse, text.split())))


def _fault(schedule: Schedule, draw: Random) -> Fault:
    kinds = {kind: weight for kind, (weight, _, _) in KINDS.items() if schedule.broker or not kind.startswith("broker")}
    kind = draw.choices(list(kinds), list(kinds.values()))[0]
    _, least, most = KINDS[kind]
    whom = ""
    if kind == "db-restart":
        part = draw.choice([part for part in CALLS if getattr(schedule, part)])
        whom = draw.choice(CALLS[part])
    elif kind not in FOR_ALL:
        whom = draw.choice(schedule.bot_names() if kind in FOR_BOTS else schedule.server_names())
    ms = draw.choice(LASTING_MS[kind]) if kind in LASTING_MS else draw.randrange(least, most + 1)
    if kind.startswith("pause") and draw.random() < 0.6:
        ms += schedule.lease_ms
    return Fault(draw.randrange(20, FAULTS_UNTIL_MS), kind, whom, ms)
