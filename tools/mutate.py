"""Change the product's code in small ways, and count how many changes the tests notice (`make mutate`).

A mutation replaces one operator, constant, condition or call of one function. Each is written into a copy of the
checkout, and the quick tests of its room run against the copy, the module's own tests first. A mutation that no test
notices survives: it shows a missing test, or code that makes no difference. Survivors of the second kind are listed
with their reason in `tools/mutation_survivors.toml`. Exit status 1: a survivor that is not listed, beyond TOLERATED.
"""

import argparse
import ast
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue
from random import Random

ROOT = Path(__file__).parents[1]
SURVIVORS = ROOT / "tools" / "mutation_survivors.toml"
PACKAGES = ("rules", "clients", "server", "db")
TOLERATED = 0.1  # of the mutations of a sample may survive without a reason

# Of each room the modules (globs below the root) and its tests.
ROOMS = {
    "match": (("server/palio_server/match/*.py",), ("tests/server/match",)),
    "tournament": (("server/palio_server/tournament/**/*.py",), ("tests/server/tournament",)),
    "ratings": (("server/palio_server/ratings/*.py",), ("tests/server/ratings",)),
    "sandbox": (("server/palio_server/sandbox/*.py",), ("tests/server/sandbox",)),
    "claims": (
        ("db/palio_db/claim*.py", "db/palio_db/playable.py", "db/palio_db/group.py", "db/palio_db/voiding.py"),
        (
            "tests/db/test_claims.py",
            "tests/db/test_playable.py",
            "tests/db/test_results.py",
            "tests/db/test_voiding.py",
            "tests/db/test_store_machine.py",
        ),
    ),
}

COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.LShift: ast.RShift,
}
UNSEEN = {"log", "logging"}  # objects whose calls tests need not notice


@dataclass(frozen=True, slots=True)
class Mutation:
    """One change: `source` is the module's text with it."""

    module: str  # path below the root
    function: str
    line: int
    change: str
    source: str

    @property
    def key(self) -> str:
        """The key in a list of survivors: it stays the same while lines move."""
        return f"{self.module}: {self.function}: {self.change}"


def mutations(path: Path) -> Iterator[Mutation]:
    """Yield every mutation of the functions in a module, in the order of its lines."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    module = str(path.relative_to(ROOT))
    for function, node in _functions(tree):
        for part in _parts(node):
            before = _text(part)
            for changed in _changes(part):
                kept = {name: getattr(part, name) for name in part._fields if hasattr(part, name)}
                for name, value in changed.items():
                    setattr(part, name, value)
                change = f"{before} -> {_text(part)}"
                source = ast.unparse(tree)
                for name, value in kept.items():
                    setattr(part, name, value)
                yield Mutation(module, function, getattr(part, "lineno", node.lineno), change, source)


def _functions(tree: ast.Module) -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.name, node
        elif isinstance(node, ast.ClassDef):
            for part in node.body:
                if isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef):
                    yield f"{node.name}.{part.name}", part


def _parts(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes below `node` and itself, annotations left out."""
    yield node
    for field, value in ast.iter_fields(node):
        if field not in ("annotation", "returns", "type_params"):
            for part in value if isinstance(value, list) else [value]:
                if isinstance(part, ast.AST):
                    yield from _parts(part)


def _text(node: ast.AST) -> str:
    return " ".join(ast.unparse(node).split())[:90]


def _changes(node: ast.AST) -> Iterator[dict[str, object]]:
    """Yield the new values of the node's fields, one dictionary a mutation."""
    match node:
        case ast.Compare(ops=[op, *more]) if type(op) in COMPARISONS:
            yield {"ops": [COMPARISONS[type(op)](), *more]}
        case ast.BoolOp(op=op, values=values):
            yield {"op": ast.Or() if isinstance(op, ast.And) else ast.And()}
            if len(values) > 2:
                yield {"values": values[:-1]}
        case ast.BinOp(op=op, left=left) if type(op) in ARITHMETIC and not _is_text(left):
            yield {"op": ARITHMETIC[type(op)]()}
        case ast.AugAssign(op=op) if type(op) in ARITHMETIC:
            yield {"op": ARITHMETIC[type(op)]()}
        case ast.If(test=test) | ast.IfExp(test=test) | ast.While(test=test):
            yield {"test": ast.UnaryOp(ast.Not(), deepcopy(test))}
        case ast.Constant(value=bool(value)):
            yield {"value": not value}
        case ast.Constant(value=int(value)):
            yield {"value": value + 1}
        case ast.Expr(value=ast.Call() | ast.Await() as called) if not _is_unseen(called):
            yield {"value": ast.Constant(None)}


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


def _is_unseen(called: ast.expr) -> bool:
    match called:
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name))):
            return name in UNSEEN
    return False


def modules_of(room: str) -> list[Path]:
    """Return the modules of a room, sorted."""
    return sorted({path for pattern in ROOMS[room][0] for path in ROOT.glob(pattern)})


def tests_of(room: str, module: str) -> list[str]:
    """Return the paths of a room's tests, those of the module itself first."""
    named = f"test_{Path(module).stem}"
    own = sorted(
        str(path.relative_to(ROOT))
        for tests in ROOMS[room][1]
        for path in ([ROOT / tests] if tests.endswith(".py") else (ROOT / tests).rglob(f"{named}*.py"))
        if path.stem.startswith(named)
    )
    return [*own, *ROOMS[room][1]]


class Checkout:
    """A copy of the checkout in which one mutation at a time is tried."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name in (*PACKAGES, "tests", "benchmarks", "examples", "docs", "tools", "broker", "deploy"):
            shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__", "node_modules"))
        for path in ROOT.iterdir():
            if path.is_file():
                shutil.copy2(path, folder)

    def passes(self, tests: Sequence[str], timeout_s: float) -> bool:
        """Run tests against the copy. A run beyond `timeout_s` has failed."""
        path = os.pathsep.join(str(self.folder / name) for name in PACKAGES)
        argv = [sys.executable, "-m", "pytest", "-q", "-x", "-m", "not slow", "-p", "no:cacheprovider", *tests]
        environment = os.environ | {"PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"}
        try:
            run = subprocess.run(  # noqa: S603 - pytest on our own tests
                argv, cwd=self.folder, env=environment, capture_output=True, timeout=timeout_s, check=False
            )
        except subprocess.TimeoutExpired:
            return False
        return run.returncode == 0

    def notices(self, mutation: Mutation, tests: Sequence[str], timeout_s: float) -> bool:
        """Try a mutation, and put the module back."""
        path = self.folder / mutation.module
        original = path.read_text(encoding="utf-8")
        path.write_text(mutation.source, encoding="utf-8")
        try:
            return not self.passes(tests, timeout_s)
        finally:
            path.write_text(original, encoding="utf-8")


def accepted() -> dict[str, str]:
    """Return the listed survivors, by key, with their reasons."""
    entries = tomllib.loads(SURVIVORS.read_text(encoding="utf-8")).get("survivor", [])
    return {entry["mutation"]: entry["reason"] for entry in entries}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--room", choices=ROOMS, action="append", help="only this room; may be repeated")
    parser.add_argument("--count", type=int, default=20, help="mutations a room (20)")
    parser.add_argument("--seed", type=int, default=0, help="draws the sample (0)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="mutations at a time (as many as cores)")
    parser.add_argument("--timeout", type=float, default=300.0, help="seconds a mutation may take (300)")
    options = parser.parse_args()
    reasons, survivors, tried = accepted(), 0, 0
    with tempfile.TemporaryDirectory(prefix="palio-mutate-") as folder:
        free: SimpleQueue[Checkout] = SimpleQueue()
        for number in range(options.jobs):
            free.put(Checkout(Path(folder) / str(number)))
        for room in options.room or ROOMS:
            checkout = free.get()
            if not checkout.passes(ROOMS[room][1], 10 * options.timeout):
                print(f"{room}: its tests fail without any mutation; mend them first")
                return 1
            free.put(checkout)
            found = [each for path in modules_of(room) for each in mutations(path)]
            sample = Random(f"{options.seed} {room}").sample(found, min(options.count, len(found)))  # noqa: S311

            def noticed(mutation: Mutation, room: str = room) -> bool:
                own = free.get()
                try:
                    return own.notices(mutation, tests_of(room, mutation.module), options.timeout)
                finally:
                    free.put(own)

            with ThreadPoolExecutor(options.jobs) as pool:
                verdicts = list(zip(sample, pool.map(noticed, sample), strict=True))
            lived = [mutation for mutation, dead in verdicts if not dead]
            print(f"{room}: {len(sample) - len(lived)} of {len(sample)} mutations noticed ({len(found)} possible)")
            for mutation in sorted(lived, key=lambda each: (each.module, each.line)):
                reason = reasons.get(mutation.key)
                print(f"  {mutation.module}:{mutation.line} {mutation.function}: {mutation.change}")
                print(f"    {'listed: ' + reason if reason else 'survived'}", flush=True)
                survivors += reason is None
            tried += len(sample)
    print(f"{tried - survivors} of {tried} mutations are noticed, or listed with a reason")
    return int(survivors > TOLERATED * tried)


if __name__ == "__main__":
    sys.exit(main())
