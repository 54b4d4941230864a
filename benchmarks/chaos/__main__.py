"""Gateways and referees on separate hosts play matches while everything that can fail does: `make chaos`.

Two gateways, three referees, PostgreSQL and Mosquitto, each on a host (a network namespace) with a cable; bots and
viewers on another one. Every few seconds a process is killed or frozen, a clock is set wrong or a cable is cut. In the
end each match must have one result, no worker may have written to a match that it did not hold, and each viewer's last
position must be the record's. Linux, as root; only processes and namespaces of its own are changed, and all of them are
gone afterwards.
"""

import argparse
import asyncio
import os
import random
import signal
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from types import FrameType

sys.path.insert(0, str(Path(__file__).parent.parent))

from figures import Figure, keep, table

from chaos import hosts
from chaos.disasters import Disasters
from chaos.event import matches_of_swiss, start_swiss, witnessed
from chaos.hosts import Host, Postgres, mosquitto, palio, until
from chaos.network import Network, lacks
from chaos.verdict import Verdict, judge
from palio_db.connections import Sql
from palio_db.errors import StoreError
from palio_db.store import Store

GATEWAYS, REFEREES = ("gw1", "gw2"), ("ref1", "ref2", "ref3")
CALM_S = 90.0  # at the end, until all started matches are over, and viewers have seen it
HERE = Path(__file__).parent
DONE = Sql("", "SELECT count(*) FROM matches WHERE status IN ('finished', 'aborted')")


class Interrupted(Exception):
    """The run was interrupted by a signal."""


def interrupt(number: int, _frame: FrameType | None) -> None:
    raise Interrupted(signal.Signals(number).name)


async def done(db: str) -> int | None:
    """Return how many matches are over; None while the database does not answer."""
    try:
        async with await Store.open(db) as store:
            ask = store._database.query  # noqa: SLF001  # as above
            [(count,)] = await ask(lambda connection: connection.rows(DONE))
            return int(count)
    except StoreError:
        return None


def play(args: argparse.Namespace, stack: ExitStack, folder: Path) -> tuple[Disasters, Verdict, float]:
    """Run it; return the failures, the verdict, and the seconds that it took."""
    names = ("db", "broker", *GATEWAYS, *REFEREES, "crowd")
    network = stack.enter_context(Network(names))
    # A separate one, because PostgreSQL's user must reach it, and it is not needed afterwards.
    data = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix=f"palio-chaos-{os.getpid()}-")))
    data.chmod(0o755)
    db = Postgres(network, "db", data)
    broker = mosquitto(network, "broker", folder)
    made = [
        palio(network, name, role, db.url, network.address("broker"), args.lease, folder)
        for role, of_role in (("gateway", GATEWAYS), ("referee", REFEREES))
        for name in of_role
    ]
    urls = [f"http://{network.address(name)}:{hosts.PORT}" for name in GATEWAYS]
    words = [folder, str(args.bots), str(args.viewers), *urls]
    crowd = Host(network, "crowd", [sys.executable, HERE / "crowd.py", *words], folder)
    for host in (db, broker, *made, crowd):
        stack.callback(host.end, signal.SIGKILL)
        host.start()
        if host is db:
            db.wait()
            asyncio.run(witnessed(db.own_url, 0 if args.swiss else args.matches, args.bots, args.seed))
    for host in made:
        until(lambda host=host: "serves on" in host.log() or not host.alive, f"{host.name} serves")
        if not host.alive:
            raise RuntimeError(f"{host.name} does not start: {host.log()[-2000:]}")
    if args.swiss:
        start_swiss(network, urls[0], args.bots, args.swiss, args.seed)
    begun = time.monotonic()
    rng = random.Random(args.seed)
    disasters = Disasters(network, made, [db, broker], rng, args.lease)
    _let_play(args, disasters, [*made, crowd], db)
    disasters.mend(everything=True)
    for host in made:
        if not host.alive:
            host.start()
    took = time.monotonic() - begun
    _until_seen(args, db)
    for host in made:
        host.end(signal.SIGTERM)
    crowd.end(signal.SIGTERM)

    async def judged() -> Verdict:
        async with await Store.open(db.own_url) as store:
            return await judge(store, args.matches, folder)

    return disasters, asyncio.run(judged()), took


def _let_play(args: argparse.Namespace, disasters: Disasters, ours: list[Host], db: Postgres) -> None:
    begun = told = struck = time.monotonic()
    count = 0
    while count < args.matches * 0.99:
        time.sleep(0.2)
        now = time.monotonic()
        disasters.mend()
        if now - struck >= args.every:
            struck = now
            if (what := disasters.strike()) and args.verbose:
                print(f"{now - begun:6.1f} s  {what}", file=sys.stderr, flush=True)
        if now - told >= 5:
            told = now
            count = asyncio.run(done(db.own_url)) or count
            print(f"{now - begun:6.1f} s  {count} of {args.matches} matches are over", file=sys.stderr, flush=True)
        if now - begun > args.most:
            raise RuntimeError(f"after {args.most:g} s only {count} of {args.matches} matches are over")
        if not ours[-1].alive:
            raise RuntimeError(f"the crowd has ended: {ours[-1].log()[-2000:]}")


def _until_seen(args: argparse.Namespace, db: Postgres) -> None:
    """Wait until all started matches are finished, and all viewers have seen it."""
    deadline = time.monotonic() + CALM_S
    while time.monotonic() < deadline and asyncio.run(done(db.own_url)) != args.matches:
        time.sleep(1)
    time.sleep(5)  # for results on their way to bots and viewers


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="chaos", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--matches", type=int, default=2000)
    parser.add_argument("--swiss", type=int, metavar="ROUNDS", help="a Swiss tournament of so many rounds instead")
    parser.add_argument("--bots", type=int, default=24, help="an even number")
    parser.add_argument("--viewers", type=int, default=12)
    parser.add_argument("--lease", type=float, default=6.0, help="seconds")
    parser.add_argument("--every", type=float, default=3.0, help="seconds between two disasters")
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--most", type=float, default=3600.0, help="seconds after which it fails")
    parser.add_argument("--keep", type=Path, help="an empty folder for logs, which stay")
    parser.add_argument("--verbose", action="store_true", help="say what is done to whom")
    args = parser.parse_args()
    if missing := lacks() or hosts.lacks():
        print(f"chaos: this cannot be had here: {missing}", file=sys.stderr)
        return 2
    if args.swiss:
        args.matches = matches_of_swiss(args.bots, args.swiss)
    args.seed = random.randrange(10**6) if args.seed is None else args.seed
    print(f"seed {args.seed}", file=sys.stderr, flush=True)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, interrupt)
    with ExitStack() as stack:
        folder = args.keep or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="palio-chaos-")))
        folder.mkdir(parents=True, exist_ok=True)
        folder.chmod(0o755)
        try:
            disasters, verdict, took = play(args, stack, folder)
        except Interrupted as why:
            print(f"chaos: ended by {why}", file=sys.stderr)
            return 130
    return report(args, disasters, verdict, took)


def report(args: argparse.Namespace, disasters: Disasters, verdict: Verdict, took: float) -> int:
    for kind, count in sorted(disasters.counts.items()):
        print(f"{count:5} x {kind}")
    figures = [
        Figure("matches with one result", verdict.results, "", args.matches, note=f"{took:.0f} s"),
        Figure("stale writes", verdict.stale, "", 0, less_is_better=True),
        Figure("results that bots heard, all as kept", verdict.heard, ""),
        Figure("last positions that viewers saw", verdict.seen, ""),
        Figure("times that a match went on under a new lease", verdict.moved_on, ""),
    ]
    keep(figures)
    print(table(figures))
    for complaint in verdict.complaints[:20]:
        print(f"WRONG: {complaint}")
    return int(bool(verdict.complaints))


if __name__ == "__main__":
    sys.exit(main())
