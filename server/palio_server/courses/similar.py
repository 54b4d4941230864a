"""Pairs of submissions that share more than the handout gave: a hint to the staff, never a verdict.

Fingerprints by winnowing: Schleimer, Wilkerson and Aiken, "Winnowing: local algorithms for document fingerprinting",
SIGMOD 2003. Source is read as tokens, in which names, numbers and texts are all alike and comments are left out, so
that renaming, comments and the order of functions change nothing. A shared run of at least SURE tokens is always found,
one below RUN tokens never. What the skeleton has, and what many submissions have, does not count.
"""

import builtins
import io
import keyword
import re
import tokenize
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple
from zlib import crc32

from palio_server.courses.inspection_tasks import SHARE, Block, Pair

RUN = 20  # tokens, two to three lines
WINDOW = 6  # hashes of which the least is a fingerprint
SURE = RUN + WINDOW - 1
COMMON = 0.4  # of the submissions: what more of them have is an idiom of the task
FEW = 6  # submissions; of fewer nothing counts as common
LEAST = 60  # shared tokens of a pair that is told
LONGEST = 200_000  # tokens of a submission that are looked at
MOST_PAIRS = 1000  # that are told


class Token(NamedTuple):
    text: str  # normalised
    file: str
    line: int  # from 1


# Tokens.

_KEPT = frozenset((*keyword.kwlist, *keyword.softkwlist, *dir(builtins)))
_OTHER = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?\*/|\#[^\n]*)|(?P<text>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')"""
    r"|(?P<name>[^\W\d]\w*)|(?P<number>\d[\w.]*)|(?P<sign>[^\w\s])",
    re.DOTALL,
)
_WORDS = frozenset(
    (  # noqa: SIM905  a word a line would be long
        "if else for while do switch case break continue return new delete class struct public private static const "
        "void int long double float char bool auto try catch throw import package template using namespace"
    ).split()
)
_SKIPPED = frozenset(
    (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER)
)


def tokens(files: Mapping[str, bytes]) -> list[Token]:
    """Return the normalised tokens of all files, by name."""
    found = [token for name in sorted(files) for token in _of_file(name, files[name])]
    return found[:LONGEST]


def _of_file(name: str, data: bytes) -> Iterator[Token]:
    text = data.decode("utf-8", errors="replace")
    if not name.endswith((".py", ".pyi")):
        yield from _of_text(name, text)
        return
    read: list[Token] = []
    with suppress(tokenize.TokenError, SyntaxError, ValueError):  # what is before the fault counts
        read.extend(_of_python(name, text))
    yield from read


def _of_python(name: str, text: str) -> Iterator[Token]:
    before = tokenize.NEWLINE
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        kind, line = token.type, token.start[0]
        if kind == tokenize.STRING and before in (tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT):
            pass  # a docstring is a comment
        elif kind == tokenize.NAME:
            yield Token(token.string if token.string in _KEPT else "n", name, line)
        elif kind == tokenize.NUMBER:
            yield Token("0", name, line)
        elif kind == tokenize.STRING or tokenize.tok_name[kind].startswith("FSTRING"):
            yield Token("s", name, line)
        elif kind not in _SKIPPED:
            yield Token(token.string, name, line)
        if kind not in (tokenize.COMMENT, tokenize.NL):
            before = kind


def _of_text(name: str, text: str) -> Iterator[Token]:
    line, counted = 1, 0
    for found in _OTHER.finditer(text):
        line, counted = line + text.count("\n", counted, found.start()), found.start()
        match found.lastgroup:
            case "name":
                yield Token(found[0] if found[0] in _WORDS else "n", name, line)
            case "number":
                yield Token("0", name, line)
            case "text":
                yield Token("s", name, line)
            case "sign":
                yield Token(found[0], name, line)


# Fingerprints.


def hashes(words: Sequence[Token]) -> list[int]:
    """Return the hash of each run of RUN tokens, by its first one."""
    each = [crc32(word.text.encode()) for word in words]
    return [hash(tuple(each[place : place + RUN])) for place in range(len(each) - RUN + 1)]


def winnowed(values: Sequence[int]) -> dict[int, list[int]]:
    """Return the fingerprints with their places: the least hash of each window, of equals the last."""
    found: dict[int, list[int]] = defaultdict(list)
    last = -1
    for begin in range(max(1, len(values) - WINDOW + 1) if values else 0):
        window = range(begin, min(begin + WINDOW, len(values)))
        place = min(window, key=lambda each: (values[each], -each))
        if place != last:
            found[values[place]].append(place)
            last = place
    return dict(found)


@dataclass(frozen=True, slots=True)
class _Print:
    words: Sequence[Token]
    prints: Mapping[int, list[int]]
    own: int  # tokens that are not in the skeleton


def similar_pairs(
    submissions: Mapping[str, Mapping[str, bytes]],
    skeleton: Mapping[str, bytes],
    groups: Mapping[str, str] | None = None,
    *,
    share: float = SHARE,
) -> list[Pair]:
    """Return the pairs that share at least `share` of one of both, the most alike first.

    `submissions` are files by ID. `groups` names the team of a submission: pairs within one are not told.
    """
    return similar_tokens({name: tokens(files) for name, files in submissions.items()}, skeleton, groups, share=share)


def similar_tokens(
    words: Mapping[str, Sequence[Token]],
    skeleton: Mapping[str, bytes],
    groups: Mapping[str, str] | None = None,
    *,
    share: float = SHARE,
) -> list[Pair]:
    """Return the same of submissions whose `tokens` are known."""
    given = {value for name in skeleton for value in hashes(tokens({name: skeleton[name]}))}
    read = {name: _print(each, given) for name, each in words.items()}
    holders: dict[int, list[str]] = defaultdict(list)
    for name, each in read.items():
        for value in each.prints:
            holders[value].append(name)
    most = max(2, int(COMMON * len(read))) if len(read) >= FEW else len(read)
    common = {value for value, names in holders.items() if len(names) > most}
    shared: Counter[tuple[str, str]] = Counter()
    for value, names in holders.items():
        if value not in common:
            shared.update(combinations(sorted(names), 2))
    found = [_pair(one, two, read[one], read[two], common) for one, two in shared if not _together(one, two, groups)]
    told = [each for each in found if each.tokens >= LEAST and each.share >= share]
    return sorted(told, key=lambda each: (-each.share, each.first, each.second))[:MOST_PAIRS]


def _print(words: Sequence[Token], given: Collection[int]) -> _Print:
    values = hashes(words)
    theirs = _covered(place for place, value in enumerate(values) if value in given)
    prints = {value: places for value, places in winnowed(values).items() if value not in given}
    return _Print(words, prints, len(words) - len(theirs))


def _covered(places: Iterable[int]) -> set[int]:
    return {token for place in places for token in range(place, place + RUN)}


def _together(one: str, two: str, groups: Mapping[str, str] | None) -> bool:
    team = (groups or {}).get(one, "")
    return bool(team) and team == (groups or {}).get(two, "")


def _pair(first: str, second: str, one: _Print, two: _Print, common: Collection[int]) -> Pair:
    both = [value for value in one.prints if value in two.prints and value not in common]
    here = _covered(place for value in both for place in one.prints[value])
    there = _covered(place for value in both for place in two.prints[value])
    shares = (_share(len(here), one.own), _share(len(there), two.own))
    return Pair(first, second, shares, len(here), tuple(_blocks(one, two, both)))


def _share(alike: int, own: int) -> float:
    return min(1.0, alike / own) if own else 0.0


def _blocks(one: _Print, two: _Print, both: Iterable[int]) -> Iterator[Block]:
    """Yield the runs that are alike: neighbouring fingerprints at the same distance are one run."""
    by_distance: dict[int, list[int]] = defaultdict(list)
    for value in both:
        for place, other in zip(one.prints[value], two.prints[value], strict=False):
            by_distance[place - other].append(place)
    runs: list[tuple[int, int, int]] = []
    for distance, places in by_distance.items():
        begin = end = -1
        for place in sorted(places):
            if begin >= 0 and place <= end:
                end = place + RUN
                continue
            if begin >= 0:
                runs.append((begin, end, distance))
            begin, end = place, place + RUN
        runs.append((begin, end, distance))
    for begin, end, distance in sorted(runs):
        mine, theirs = one.words[begin:end], two.words[begin - distance : end - distance]
        yield Block(mine[0].file, _lines(mine), theirs[0].file, _lines(theirs))


def _lines(words: Sequence[Token]) -> tuple[int, int]:
    first = words[0]
    return first.line, max(word.line for word in words if word.file == first.file)
