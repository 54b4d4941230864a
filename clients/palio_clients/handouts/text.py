"""The definitions of a student's file, by its syntax trees, before it runs.

If the text is not conclusive, nothing is reported: a file that could play is never refused by its text.
"""

import ast
import inspect
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from palio_clients.handouts.coursework import name_of
from palio_clients.handouts.imports import ImportPath, is_module
from palio_clients.handouts.loading import NOTEBOOK
from palio_clients.handouts.signatures import INIT, Form, best, missing, takes, unlike, wanting
from palio_rules.python_file import PACKAGE, parsed


class Unclear(Exception):  # not an error: there is no answer
    """The sign that the text is not conclusive."""


class Definition(NamedTuple):
    """A function, lambda or class, and its place: `ps2.py, line 3`."""

    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef
    text: "Text"
    called: str  # the file, or a notebook's cell

    @property
    def where(self) -> str:
        return f"{self.called}, line {self.node.lineno}"


class _Import(NamedTuple):
    level: int
    dotted: tuple[str, ...]
    name: str


class _Other(NamedTuple):
    """The value of a name that is not a definition: a `plain` one cannot be called."""

    plain: bool


_PLAIN, _UNCLEAR = _Other(plain=True), _Other(plain=False)
_Names = dict[str, Definition | _Import | _Other]
_LITERALS = (
    ast.Constant,
    ast.JoinedStr,
    ast.List,
    ast.Tuple,
    ast.Set,
    ast.Dict,
    ast.ListComp,
    ast.SetComp,
    ast.DictComp,
)
_REFLECTING = {"globals", "locals", "vars", "exec", "eval", "setattr", "delattr", "__dict__", "modules"}
_HARMLESS = {"staticmethod", "classmethod", "abstractmethod", "override"}
_MEMBERS_BY_HAND = {"__getattr__", "__getattribute__"}


class Text:
    """The definitions of a student's file, by its syntax trees: one, or those of cells; None is not Python.

    `places` has the handout's folder last.
    """

    def __init__(self, path: Path, trees: Sequence[ast.Module | None], places: ImportPath) -> None:
        self.file = name_of(path)
        self.path, self._places = path, places
        self.others: dict[Path, Text | None] = {}
        self.root = self
        self.names: _Names = {}
        self.again: set[str] = set()  # bound more than once
        self.stars: list[_Import] = []
        self.whole = None not in trees  # no definition is hidden
        nodes = [node for tree in trees if tree is not None for node in ast.walk(tree)]
        self.classes = [node for node in nodes if isinstance(node, ast.ClassDef)]
        self.bases = {base.id for each in self.classes for base in each.bases if isinstance(base, ast.Name)}
        self.stored = {node.attr for node in nodes if isinstance(node, ast.Attribute) and _is_bound(node)}
        words = {node.id for node in nodes if isinstance(node, ast.Name)}
        words |= {node.attr for node in nodes if isinstance(node, ast.Attribute)}
        self.reflects = not words.isdisjoint(_REFLECTING)
        for number, tree in enumerate(trees, start=1):
            called = f"{self.file}, cell {number}" if path.suffix == NOTEBOOK else self.file
            if tree is not None:
                self._bind(tree.body, called)
        for node in nodes:
            if isinstance(node, ast.Global):
                self.names.update(dict.fromkeys(node.names, _UNCLEAR))
        stars = sum(isinstance(node, ast.ImportFrom) and node.names[0].name == "*" for node in nodes)
        self.whole &= len(self.stars) == stars and "__getattr__" not in self.names

    def lacks(self, name: str) -> bool:
        """Return whether the file certainly has no class or function `name`, or no method `Player.action`."""
        head, _, method = name.partition(".")
        with suppress(Unclear, RecursionError):
            found = self.find(head)
            return found is None or (bool(method) and self._member(self._class(found), method) is None)
        return False

    def fault(self, name: str, *forms: Form) -> str:
        """Return a sentence about a name that is certainly missing, or certainly takes other arguments; "" otherwise.

        `name` is a function, a method `Player.action`, or a constructor: `Player.__init__`.
        """
        with suppress(Unclear, RecursionError):
            return self._fault(name, forms)
        return ""

    def form(self, name: str, forms: Sequence[Form]) -> Form | None:
        """Return the form that the function `name` certainly has, like `form_of`."""
        with suppress(Unclear, RecursionError):
            found = self.find(name)
            return None if found is None else best(_signature(_arguments(found)), forms)
        return None

    def needs(self, name: str) -> list[str]:
        """Return the arguments without a default of the constructor or function `name`; [] if that is not certain."""
        with suppress(Unclear, RecursionError):
            found = self.find(name)
            init = found and self._constructor(self._class(found))
            if init:
                arguments = _arguments(init)
                by_name = [each.arg for each in arguments.args]
                kept = len(arguments.args) - len(arguments.defaults)
                only = [each.arg for each, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
                        if default is None]  # fmt: skip
                return [*by_name[: max(kept, 0)][0 if arguments.posonlyargs else 1 :], *only]
        return []

    def is_function(self, name: str) -> bool:
        """Return whether `name` is certainly a function."""
        with suppress(Unclear, RecursionError):
            found = self.find(name)
            return found is not None and not isinstance(found.node, ast.ClassDef)
        return False

    def where(self, name: str) -> str:
        """Return the file, and the line of the class `name` if that is certain."""
        with suppress(Unclear, RecursionError):
            if (found := self.find(name)) is not None:
                return found.where
        return self.file

    def classes_with(self, method: str, *, own: bool) -> tuple[dict[str, ast.ClassDef], bool]:
        """Return the classes that certainly have `method`, by name, and whether there are certainly no more.

        `own`: imported classes do not count.
        """
        found: dict[str, ast.ClassDef] = {}
        certain = self.whole and not self.reflects and (own or not self.stars)
        for name, bound in self.names.items():
            if isinstance(bound, _Import) and (own or self._is_library(bound) or self._is_handouts(bound)):
                continue
            try:
                kind = self.find(name) if not isinstance(bound, _Other) else None
                if kind is None or not isinstance(kind.node, ast.ClassDef) or kind.node in found.values():
                    continue
                if self._member(kind, method) is not None:
                    found[name] = kind.node
            except (Unclear, RecursionError):
                certain = False
        known = [bound.node for bound in self.names.values() if isinstance(bound, Definition)]
        return found, certain and all(kind in known for kind in self.classes)

    # --- names --------------------------------------------------------------------------------------------------------

    def find(self, name: str) -> Definition | None:
        """Return the definition of `name`, also if it is imported from a file beside; None if there is certainly none.

        Raises Unclear.
        """
        if self.reflects:
            raise Unclear
        if name not in self.names:
            return self._find_by_stars(name)
        match self.names[name]:
            case Definition() as found:
                return found
            case _Import(level, dotted, inner):
                other = self._other(level, dotted) if inner not in self.root.stored else None
                if other is not None and (imported := other.find(inner)) is not None:
                    return imported
        raise Unclear

    def _find_by_stars(self, name: str) -> Definition | None:
        if not self.whole:
            raise Unclear
        for star in reversed(self.stars):
            if self._is_library(star):
                continue
            other = self._other(star.level, star.dotted)
            if other is None or "__all__" in other.names:
                raise Unclear
            if (found := other.find(name)) is not None:
                return found
        return None

    def _is_library(self, each: _Import) -> bool:
        """Return whether a module is certainly the standard library's, which has nothing that a course asks for."""
        top = each.dotted[0] if each.dotted and not each.level else ""
        return top in sys.stdlib_module_names and not any(is_module(place, top) for place in self._places.folders)

    def _is_handouts(self, each: _Import) -> bool:
        other = self._other(each.level, each.dotted)
        return other is not None and other.path.parent == self._places.folders[-1]

    def _other(self, level: int, dotted: tuple[str, ...]) -> "Text | None":
        """Return the file that an import loads; None if that is not certain."""
        own = [each for each in self._places.folders[:-1] if not level and is_module(each, dotted[0])]
        place = self._places.place(self.path, level, dotted)
        if place is None or len(own) > 1 or (not level and dotted[0] in sys.stdlib_module_names):
            return None
        base, dotted = place
        path = base / PACKAGE
        for part in dotted:
            path = base / part / PACKAGE
            if not path.is_file():
                path = base / f"{part}.py"
            base /= part
        if path not in self.root.others:
            tree = parsed(path) if path.is_file() else None
            other = None if tree is None else Text(path, [tree], self._places)
            if other is not None:
                other.root = self.root
            self.root.others[path] = other
        return self.root.others[path]

    def _bind(self, body: Iterable[ast.stmt], called: str) -> None:
        for node in body:
            if isinstance(node, ast.ImportFrom) and node.names[0].name == "*":
                star = _Import(node.level, tuple((node.module or "").split(".")) if node.module else (), "*")
                self.stars.append(star)
                if not self._is_library(star):  # it may rebind any name
                    self.names.update(dict.fromkeys(self.names, _UNCLEAR))
                continue
            bound = self.bound_by(node, called, self.names)
            self.again |= bound.keys() & self.names.keys()
            self.names |= bound

    def bound_by(self, node: ast.stmt, called: str, before: _Names) -> _Names:
        """Return the names that a statement of a module or of a class binds."""
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                return {name: Definition(node, self, called)}
            case ast.ImportFrom(module=module, level=level):
                dotted = tuple(module.split(".")) if module else ()
                return {each.asname or each.name: _Import(level, dotted, each.name) for each in node.names}
            case ast.Import():
                return {each.asname or each.name.partition(".")[0]: _PLAIN for each in node.names}
            case ast.AnnAssign(value=None):
                return {}
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=value)
                | ast.AnnAssign(target=ast.Name(id=name), value=value)
            ):
                assert value is not None
                return {**dict.fromkeys(_stored_names(value), _UNCLEAR), name: self._value(value, called, before)}
            case ast.If(orelse=[]) if _asks_whether_main(node.test):
                return {}
        return dict.fromkeys(_stored_names(node), _UNCLEAR)

    def _value(self, value: ast.expr, called: str, before: _Names) -> Definition | _Import | _Other:
        match value:
            case ast.Lambda():
                return Definition(value, self, called)
            case ast.Name(id=name):
                return before.get(name, _UNCLEAR)
        return _PLAIN if isinstance(value, _LITERALS) else _UNCLEAR

    # --- classes and their methods ------------------------------------------------------------------------------------

    def _class(self, found: Definition) -> Definition:
        if not isinstance(found.node, ast.ClassDef):
            raise Unclear
        return found

    def _member(self, kind: Definition, name: str) -> Definition | None:
        """Return the method of a class, also an inherited one; None if there is certainly none. Raises Unclear."""
        node, text = kind.node, kind.text
        assert isinstance(node, ast.ClassDef)
        if node.decorator_list or node.keywords or name in text.stored | self.root.stored or text.reflects:
            raise Unclear
        names: _Names = {}
        for each in node.body:
            names |= text.bound_by(each, kind.called, names)
        if name in names:
            found = names[name]
            if not isinstance(found, Definition) or isinstance(found.node, ast.ClassDef):
                raise Unclear
            return found
        if not names.keys().isdisjoint(_MEMBERS_BY_HAND) or len(node.bases) > 1:
            raise Unclear
        return self._inherited(node, text, name) if node.bases else None

    def _inherited(self, node: ast.ClassDef, text: "Text", name: str) -> Definition | None:
        base = node.bases[0]
        if not isinstance(base, ast.Name) or base.id in text.again:
            raise Unclear
        if (base.id == "object" and base.id not in text.names) or text.names.get(base.id) == _Import(
            0, ("abc",), "ABC"
        ):
            return None
        parent = text.find(base.id)
        if parent is None or parent.node is node:
            raise Unclear
        return self._member(self._class(parent), name)

    def _constructor(self, kind: Definition) -> Definition | None:
        if self._member(kind, "__new__") is not None:
            raise Unclear
        return self._member(kind, INIT)

    def _fault(self, name: str, forms: Sequence[Form]) -> str:
        head, _, method = name.partition(".")
        found = self.find(head)
        if found is None:
            wanted = head if method not in ("", INIT) else forms[0].of(head)
            return missing(self.file, wanted)
        bound = False
        if isinstance(found.node, ast.ClassDef):
            kind, method = found, method or INIT
            found = self._constructor(kind) if method == INIT else self._member(kind, method)
            if found is None and (method != INIT or all(form.names for form in forms)):
                return f"{kind.where}: {wanting(head, forms[0].of(method, bound=True))}"
            if found is None:
                return ""
            bound = "staticmethod" not in _decorators(found)
        elif method not in ("", INIT):
            raise Unclear
        arguments = _arguments(found, method=bound or method not in ("", INIT))
        if any(takes(_signature(arguments), form, bound=bound) for form in forms):
            return ""
        said = method if bound or method not in ("", INIT) else head
        return unlike(found.where, f"{said}({ast.unparse(arguments)})", forms, said, bound=bound)


def _arguments(found: Definition, *, method: bool = False) -> ast.arguments:
    """Return the parameters of a function. Raises Unclear if a decorator may change them."""
    if isinstance(found.node, ast.ClassDef):
        raise Unclear
    if not set(_decorators(found)) <= (_HARMLESS if method else set()):
        raise Unclear
    return found.node.args


def _decorators(found: Definition) -> list[str]:
    decorators = [] if isinstance(found.node, ast.Lambda) else found.node.decorator_list
    return [each.id if isinstance(each, ast.Name) else getattr(each, "attr", "") for each in decorators]


def _signature(arguments: ast.arguments) -> inspect.Signature:
    kind = inspect.Parameter
    positional = [*arguments.posonlyargs, *arguments.args]
    optional = len(positional) - len(arguments.defaults)
    found = [
        kind(
            each.arg,
            kind.POSITIONAL_ONLY if number < len(arguments.posonlyargs) else kind.POSITIONAL_OR_KEYWORD,
            default=None if number >= optional else kind.empty,
        )
        for number, each in enumerate(positional)
    ]
    if arguments.vararg:
        found.append(kind(arguments.vararg.arg, kind.VAR_POSITIONAL))
    for each, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        found.append(kind(each.arg, kind.KEYWORD_ONLY, default=kind.empty if default is None else None))
    if arguments.kwarg:
        found.append(kind(arguments.kwarg.arg, kind.VAR_KEYWORD))
    return inspect.Signature(found)


def _is_bound(node: ast.Attribute | ast.Name) -> bool:
    return not isinstance(node.ctx, ast.Load)


def _asks_whether_main(test: ast.expr) -> bool:
    return ast.unparse(test) in ("__name__ == '__main__'", "'__main__' == __name__")


def _stored_names(node: ast.AST) -> Iterator[str]:
    """Yield the names that may be bound somewhere in a statement; one too many does no harm."""
    for each in ast.walk(node):
        match each:
            case ast.Name() if _is_bound(each):
                yield each.id
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
            case ast.alias(name=name, asname=asname):
                yield asname or name.partition(".")[0]
            case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                yield name
            case ast.MatchMapping(rest=str(name)):
                yield name
