"""The page's style sheets, read as rules: the views that a rule is for, its selector, what it declares."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

WEB = Path(__file__).parents[2] / "server" / "palio_server" / "web"
SHEETS = {path.stem: path.read_text() for path in sorted((WEB / "styles").glob("*.css"))}

_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_SCOPE = re.compile(r'\[data-view="([\w-]+)"\]')
_CLASS = re.compile(r"\.([a-zA-Z][\w-]*)")
_CONDITION = re.compile(r":(?:not|has)\([^()]*(?:\([^()]*\)[^()]*)*\)")


@dataclass(frozen=True, slots=True)
class Rule:
    """One selector of one rule. `views`: those whose scope it is in, none for a shared part; `media`: its queries."""

    sheet: str
    views: frozenset[str]
    media: tuple[str, ...]
    selector: str
    body: str

    @property
    def classes(self) -> list[str]:
        """Return all classes that the selector names."""
        return _CLASS.findall(self.selector)

    @property
    def owner(self) -> str | None:
        """Return the class that the selector begins with: conditions (`:not`, `:has`) do not count."""
        return next(iter(_CLASS.findall(_CONDITION.sub("", self.selector))), None)


def rules_of(sheet: str, text: str) -> Iterator[Rule]:
    """Yield the rules of a sheet, one for each selector of a list. At-rules but `@media` are left out."""
    yield from _rules(sheet, _COMMENT.sub("", text), frozenset(), ())


def queries_of(text: str) -> list[str]:
    """Return the conditions of all media queries of a sheet."""
    return re.findall(r"@media\s+([^{]+?)\s*\{", _COMMENT.sub("", text))


def _rules(sheet: str, text: str, views: frozenset[str], media: tuple[str, ...]) -> Iterator[Rule]:
    for prelude, body in _blocks(text):
        if prelude.startswith("@media"):
            yield from _rules(sheet, body, views, (*media, prelude.removeprefix("@media").strip()))
        elif prelude.startswith("@"):
            continue
        elif scope := _SCOPE.findall(prelude):
            yield from _rules(sheet, body, frozenset(scope), media)
        else:
            for selector in _list(prelude):
                yield Rule(sheet, views, media, selector, body)


def _blocks(text: str) -> Iterator[tuple[str, str]]:
    """Yield what stands before each block, and what is in it."""
    start = depth = 0
    prelude, inside = "", 0
    for place, letter in enumerate(text):
        if letter == "{":
            depth += 1
            if depth == 1:
                prelude, inside = text[start:place].strip(), place + 1
        elif letter == "}":
            depth -= 1
            if depth == 0:
                yield prelude, text[inside:place]
                start = place + 1


def _list(prelude: str) -> list[str]:
    """Take a list of selectors apart: `a, :is(b, c)` are two."""
    return [" ".join(each.split()) for each in re.split(r",(?![^()]*\))", prelude)]
