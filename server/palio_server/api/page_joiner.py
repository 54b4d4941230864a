"""The page's modules, joined into a few files: those that the first view needs, and one for each other view.

A browser that is far away pays a round trip for each layer of imports and, on HTTP/1.1, for each six files. The modules
stay as a reader opens them, and tests and the development server use them. They have a few known shapes (imports at the
top, named exports of constants, functions and classes), so joining them needs no parser: each becomes a function that
returns its exports. Another shape is refused with its file and line.

The wheel's build (`tools/build_page.py`) runs this module by its path, so it imports only the standard library.
A server joins the modules itself only if it runs from a checkout.
"""

import json
import posixpath
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

ENTRY = "app.js"
FIRST = "components/lobby.js"  # of the first page: parts that it shares with others are included
CORE, COMMON = "core.js", "common.js"  # common: parts that several views share, but not the first one

_IMPORT = re.compile(r'^import\s+(?:(\w+)|\{([^}]*)\}|\*\s+as\s+(\w+))\s+from\s+"(\.[^"]+)";[^\S\n]*\n', re.MULTILINE)
_LAZY = re.compile(r'\bimport\("(\.[^"]+)"\)')
_REEXPORT = re.compile(r'^export\s+\{([^}]*)\}\s+from\s+"(\.[^"]+)";[^\S\n]*\n', re.MULTILINE)
_LISTED = re.compile(r"^export\s+\{([^}]*)\};[^\S\n]*\n", re.MULTILINE)
_DECLARED = re.compile(r"^export\s+((?:async\s+)?function\*?|class|const)\s+(\w+)", re.MULTILINE)
_LEFT = re.compile(r'^(?:export\b|import\s*[{*"\w]+[^(]*from\b).*', re.MULTILINE)
_CASTS = re.compile(r"/\*\* @(?:type|import) [^*\n]*\*/ ?")
_DOCS = re.compile(r"^[^\S\n]*/\*\*(?:[^*]|\*(?!/))*\*/[^\S\n]*\n", re.MULTILINE)


class UnknownShape(ValueError):
    """A module in a form that the joiner does not support."""


@dataclass(slots=True)
class Module:
    """One module: its imports, and its body without imports and exports."""

    path: str
    body: str
    imports: list[tuple[str, str]] = field(default_factory=list)  # (path, pattern that takes its exports apart)
    exports: list[str] = field(default_factory=list)  # entries of the object that it becomes
    lazy: list[str] = field(default_factory=list)

    @property
    def name(self) -> str:
        return name_of(self.path)


@dataclass(frozen=True, slots=True)
class JoinedFiles:
    """The joined files by name; `needs`: the files that a module with a view takes, by the module's path."""

    files: Mapping[str, str]
    needs: Mapping[str, tuple[str, ...]]


def join(sources: Mapping[str, str]) -> JoinedFiles:
    """Join all modules that `app.js` reaches. Files in vendor/ stay unchanged. Raises UnknownShape."""
    modules: dict[str, Module] = {}
    waiting = [ENTRY]
    while waiting:
        path = waiting.pop()
        if path not in modules and not is_vendored(path):
            if path not in sources:
                raise UnknownShape(f"{path} is imported, but is not there")
            modules[path] = read_module(path, sources[path])
            waiting += [needed for needed, _ in modules[path].imports] + modules[path].lazy
    views = sorted({path for module in modules.values() for path in module.lazy if not is_vendored(path)})
    order = {path: list(_closure(path, modules)) for path in [ENTRY, *views]}
    places = _places(order, views)
    files: dict[str, list[str]] = {}
    for root in [*views, ENTRY]:  # shared parts come before, the start of the page last
        for path in order[root]:
            own = files.setdefault(places[path], [])
            if path not in own:
                own.append(path)
    needs = {root: tuple(sorted({places[path] for path in order[root]} | {CORE})) for root in [ENTRY, *views]}
    return JoinedFiles({name: _file(paths, modules, places) for name, paths in files.items()}, needs)


def read_module(path: str, text: str) -> Module:
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
    """Return the name of a module within a joined file."""
    return re.sub(r"\W", "_", path.removesuffix(".js"))


def is_vendored(path: str) -> bool:
    """Return True if a module is third-party: minified, and served unchanged."""
    return path.startswith("vendor/")


def _closure(root: str, modules: Mapping[str, Module], above: tuple[str, ...] = ()) -> Iterator[str]:
    """Yield `root` and its imports, each after all that it needs (except in a circle of imports), and once."""
    seen = set()
    for path, _ in modules[root].imports:
        if not is_vendored(path) and path not in (*above, root):  # in a circle, one comes first
            for below in _closure(path, modules, (*above, root)):
                if below not in seen:
                    seen.add(below)
                    yield below
    yield root


def _places(order: Mapping[str, list[str]], views: list[str]) -> dict[str, str]:
    """Return the file of each module."""
    places = dict.fromkeys(order[ENTRY], CORE)
    for path in sorted({path for paths in order.values() for path in paths} - set(places)):
        users = [view for view in views if path in order[view]]
        if len(users) == 1:
            places[path] = f"view_{posixpath.basename(users[0])}"
        else:
            places[path] = CORE if FIRST in users else COMMON
    return places


def _file(paths: list[str], modules: Mapping[str, Module], places: Mapping[str, str]) -> str:
    """Return the text of a joined file."""
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
    late: list[str] = []
    for index, path in enumerate(paths):
        lines.append(_joined(modules[path], places, set(paths[index + 1 :]), late))
    return "\n".join([*(["const $late = [];"] if late else []), *lines, *late]) + "\n"


def _joined(module: Module, places: Mapping[str, str], later: set[str], late: list[str]) -> str:
    """Return the module as a function's value. In a circle of imports, a `later` module is passed in when it exists."""

    def going_there(found: re.Match[str]) -> str:
        path = _resolve(module.path, found[1])
        if is_vendored(path):
            return f'import("./{path}")'
        return f'import("./{places[path]}").then((file) => file.{name_of(path)})'

    taken = ""
    for path, pattern in module.imports:
        if path in later:
            names = [each.split(":")[-1].strip() for each in pattern.strip("{} ").split(",")]
            taken += f"let {', '.join(names)};\n$late.push(() => {{ ({pattern} = {name_of(path)}); }});\n"
        elif pattern != "{}":
            taken += f"const {pattern} = {name_of(path)};\n"
    if "$late.push" in taken and not late:
        late.append("for (const give of $late) give();")
    body = _LAZY.sub(going_there, module.body).strip("\n")
    return f"export const {module.name} = (() => {{\n{taken}{body}\nreturn {{ {', '.join(module.exports)} }};\n}})();"


def _resolve(path: str, target: str) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(path), target))


def _pairs(names: str) -> list[tuple[str, str]]:
    """Return `a, b as c` as (a, a), (b, c)."""
    words = [each.split(" as ") for each in names.split(",") if each.strip()]
    return [(each[0].strip(), each[-1].strip()) for each in words]


def _renamed(names: str) -> str:
    """Return the same as a pattern that takes an object apart."""
    return ", ".join(old if old == new else f"{old}: {new}" for old, new in _pairs(names))


# The page as it is served: joined scripts, one style sheet, vendored files and pictures.

STYLES = "page.css"
COLOURS = "styles/tokens.css"  # stays a file of its own as well: the server's pictures of boards use its colours
MANIFEST = "page.json"  # the views of a built page; a folder with this file is not joined again

_STYLESHEET = re.compile(r'[^\S\n]*<link rel="stylesheet" href="([^"]+)">\n')
_COMMENT = re.compile(r"^[^\S\n]*/\*(?:[^*]|\*(?!/))*\*/[^\S\n]*\n", re.MULTILINE)
_LOADS = re.compile(r'view: "([^"]+)", pattern: "([^"]*)".*?import\("\.\./([^"]+)"\)')


@dataclass(frozen=True, slots=True)
class BuiltPage:
    """A page ready to be served.

    `files` by name, without the page itself, which is `index`; `views`: name, address pattern and module of each view;
    `needs`: the scripts of a view, by its module.
    """

    files: Mapping[str, bytes]
    index: str
    views: tuple[tuple[str, str, str], ...]
    needs: Mapping[str, tuple[str, ...]]

    def sources(self) -> dict[str, bytes]:
        """Return the files of a folder from which `build` reads this page again without joining anything."""
        manifest = {"views": self.views, "needs": self.needs}
        return {**self.files, "index.html": self.index.encode(), MANIFEST: json.dumps(manifest, indent=1).encode()}


def build(sources: Mapping[str, bytes]) -> BuiltPage:
    """Return the page of a folder's files, which are the modules or a page built before. Raises UnknownShape."""
    index = sources["index.html"].decode()
    if MANIFEST in sources:
        known = json.loads(sources[MANIFEST])
        files = {path: content for path, content in sources.items() if path not in ("index.html", MANIFEST)}
        needs = {module: tuple(names) for module, names in known["needs"].items()}
        return BuiltPage(
            files, index, tuple((name, pattern, module) for name, pattern, module in known["views"]), needs
        )
    scripts = {path: content.decode() for path, content in sources.items() if path.endswith(".js")}
    joined = join(scripts)
    files = {path: text for path, text in sources.items() if is_vendored(path) or _is_picture(path) or path == COLOURS}
    files |= {name: text.encode() for name, text in joined.files.items()}
    sheets = [sources[path].decode() for path in _STYLESHEET.findall(index)]
    files[STYLES] = _COMMENT.sub("", "\n".join(sheets)).encode()
    views = tuple((name, pattern, module) for name, pattern, module in _LOADS.findall(scripts["lib/views.js"]))
    return BuiltPage(files, _STYLESHEET.sub("", index), views, joined.needs)


def _is_picture(path: str) -> bool:
    return path.endswith((".svg", ".png", ".ico", ".webp", ".woff2"))
