"""The page's modules, joined at start into a few files: what the first view needs, and one for each.

A browser that is far away pays a round trip for each layer of imports and, on HTTP/1.1, for each six files. The modules
stay what a reader opens, and are what runs in development and in tests: nothing is built and kept. They are of a few
known shapes (imports at the top, named exports of constants, functions and classes), so that joining them needs no
parser: each becomes a function that returns what it exports. Another shape is refused with its file and line.
"""

import posixpath
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

ENTRY = "app.js"
FIRST = "components/lobby.js"  # of the first page: what it shares with others comes with it
CORE, COMMON = "core.js", "common.js"  # common: what several views share, but not the first one

_IMPORT = re.compile(r'^import\s+(?:(\w+)|\{([^}]*)\}|\*\s+as\s+(\w+))\s+from\s+"(\.[^"]+)";[^\S\n]*\n', re.MULTILINE)
_LAZY = re.compile(r'\bimport\("(\.[^"]+)"\)')
_REEXPORT = re.compile(r'^export\s+\{([^}]*)\}\s+from\s+"(\.[^"]+)";[^\S\n]*\n', re.MULTILINE)
_LISTED = re.compile(r"^export\s+\{([^}]*)\};[^\S\n]*\n", re.MULTILINE)
_DECLARED = re.compile(r"^export\s+((?:async\s+)?function\*?|class|const)\s+(\w+)", re.MULTILINE)
_LEFT = re.compile(r'^(?:export\b|import\s*[{*"\w]+[^(]*from\b).*', re.MULTILINE)
_CASTS = re.compile(r"/\*\* @(?:type|import) [^*\n]*\*/ ?")
_DOCS = re.compile(r"^[^\S\n]*/\*\*(?:[^*]|\*(?!/))*\*/[^\S\n]*\n", re.MULTILINE)


class UnknownShape(ValueError):
    """A module that is written as the joiner does not know."""


@dataclass(slots=True)
class Module:
    """One module: what it asks for, and its body without imports and exports."""

    path: str
    body: str
    imports: list[tuple[str, str]] = field(default_factory=list)  # (path, pattern that takes its exports apart)
    exports: list[str] = field(default_factory=list)  # entries of the object that it becomes
    lazy: list[str] = field(default_factory=list)

    @property
    def name(self) -> str:
        return name_of(self.path)


@dataclass(frozen=True, slots=True)
class Joined:
    """`files` by name; `needs`: the files that a module with a view in it takes, by the module's path."""

    files: Mapping[str, str]
    needs: Mapping[str, tuple[str, ...]]


def join(sources: Mapping[str, str]) -> Joined:
    """Join all that `app.js` reaches. Files in vendor/ stay as they are. Raises UnknownShape."""
    modules: dict[str, Module] = {}
    waiting = [ENTRY]
    while waiting:
        path = waiting.pop()
        if path not in modules and not is_vendored(path):
            if path not in sources:
                raise UnknownShape(f"{path} is imported, but is not there")
            modules[path] = read(path, sources[path])
            waiting += [needed for needed, _ in modules[path].imports] + modules[path].lazy
    views = sorted({path for module in modules.values() for path in module.lazy if not is_vendored(path)})
    order = {path: list(_closure(path, modules)) for path in [ENTRY, *views]}
    places = _places(order, views)
    files: dict[str, list[str]] = {}
    for root in [*views, ENTRY]:  # what a file shares comes before, what starts the page last
        for path in order[root]:
            own = files.setdefault(places[path], [])
            if path not in own:
                own.append(path)
    needs = {root: tuple(sorted({places[path] for path in order[root]} | {CORE})) for root in [ENTRY, *views]}
    return Joined({name: _file(paths, modules, places) for name, paths in files.items()}, needs)


def read(path: str, text: str) -> Module:
    """Take a module apart. Raises UnknownShape."""
    module = Module(path, "")

    def importing(found: re.Match[str]) -> str:
        default, names, whole, target = found.groups()
        pattern = whole or "{ " + (f"default: {default}" if default else _renamed(names)) + " }"
        module.imports.append((_resolve(path, target), pattern))
        return ""

    def passing_on(found: re.Match[str]) -> str:
        target = _resolve(path, found[2])
        module.imports.append((target, "{}"))
        module.exports += [f"{new}: {name_of(target)}.{old}" for old, new in _pairs(found[1])]
        return ""

    def listing(found: re.Match[str]) -> str:
        module.exports += [f"{new}: {old}" for old, new in _pairs(found[1])]
        return ""

    def declaring(found: re.Match[str]) -> str:
        module.exports.append(found[2])
        return f"{found[1]} {found[2]}"

    body = _CASTS.sub("", _DOCS.sub("", text))
    for shape, action in ((_IMPORT, importing), (_REEXPORT, passing_on), (_LISTED, listing), (_DECLARED, declaring)):
        body = shape.sub(action, body)
    if left := _LEFT.search(body):
        raise UnknownShape(f"{path}: write this import or export as other modules do: {left[0]!r}")
    module.lazy = [_resolve(path, target) for target in _LAZY.findall(body)]
    module.body = body
    return module


def name_of(path: str) -> str:
    """What a module is called within a joined file."""
    return re.sub(r"\W", "_", path.removesuffix(".js"))


def is_vendored(path: str) -> bool:
    """Whether a module is another's work: minified, and served as it came."""
    return path.startswith("vendor/")


def _closure(root: str, modules: Mapping[str, Module], above: tuple[str, ...] = ()) -> Iterator[str]:
    """`root` and what it imports, each after all that it needs, and once."""
    if root in above:
        raise UnknownShape(f"a circle of imports: {' imports '.join((*above[above.index(root) :], root))}")
    seen = set()
    for path, _ in modules[root].imports:
        if not is_vendored(path):
            for below in _closure(path, modules, (*above, root)):
                if below not in seen:
                    seen.add(below)
                    yield below
    yield root


def _places(order: Mapping[str, list[str]], views: list[str]) -> dict[str, str]:
    """The file of each module."""
    places = dict.fromkeys(order[ENTRY], CORE)
    for path in sorted({path for paths in order.values() for path in paths} - set(places)):
        users = [view for view in views if path in order[view]]
        if len(users) == 1:
            places[path] = f"view_{posixpath.basename(users[0])}"
        else:
            places[path] = CORE if FIRST in users else COMMON
    return places


def _file(paths: list[str], modules: Mapping[str, Module], places: Mapping[str, str]) -> str:
    """The text of a joined file."""
    inside = set(paths)
    outside: dict[str, set[str]] = {}
    for path in paths:
        for needed, _ in modules[path].imports:
            if needed not in inside:
                outside.setdefault(places.get(needed, needed), set()).add(needed)
    lines = []
    for file, needed_there in sorted(outside.items()):
        what = (
            f"* as {name_of(file)}" if is_vendored(file) else f"{{ {', '.join(sorted(map(name_of, needed_there)))} }}"
        )
        lines.append(f'import {what} from "./{file}";')
    lines += [_joined(modules[path], places) for path in paths]
    return "\n".join(lines) + "\n"


def _joined(module: Module, places: Mapping[str, str]) -> str:
    def going_there(found: re.Match[str]) -> str:
        path = _resolve(module.path, found[1])
        if is_vendored(path):
            return f'import("./{path}")'
        return f'import("./{places[path]}").then((file) => file.{name_of(path)})'

    taken = "".join(f"const {pattern} = {name_of(path)};\n" for path, pattern in module.imports if pattern != "{}")
    body = _LAZY.sub(going_there, module.body).strip("\n")
    return f"export const {module.name} = (() => {{\n{taken}{body}\nreturn {{ {', '.join(module.exports)} }};\n}})();"


def _resolve(path: str, target: str) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(path), target))


def _pairs(names: str) -> list[tuple[str, str]]:
    """`a, b as c` as (a, a), (b, c)."""
    words = [each.split(" as ") for each in names.split(",") if each.strip()]
    return [(each[0].strip(), each[-1].strip()) for each in words]


def _renamed(names: str) -> str:
    """The same as a pattern that takes an object apart."""
    return ", ".join(old if old == new else f"{old}: {new}" for old, new in _pairs(names))
