"""The page's modules, joined into a few files: those that the first view needs, one for each other view, shared parts.

A browser that is far away pays a round trip for each layer of imports and, on HTTP/1.1, for each six files. The modules
stay as a reader opens them, and tests and the development server use them. They have a few known shapes (imports at the
top, named exports of constants, functions and classes), so joining them needs no parser: each becomes a function that
returns its exports. Another shape is refused with its file and line, and so is a circle of imports. A source map beside
each joined file leads a browser's debugger back to the modules, line by line.

The wheel's build (`tools/build_page.py`) runs this module by its path, so it imports only the standard library.
A server joins the modules itself only if it runs from a checkout.
"""

import json
import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

ENTRY = "app.js"
FIRST = "components/lobby.js"  # of the first page: parts that it shares with others are included
CORE, COMMON = "core.js", "common.js"  # common: small parts that several views share, but not the first one
LARGE = 4000  # characters that the same views share: worth a file of their own

_IMPORT = re.compile(r'^import\s+(?:(\w+)|\{([^}]*)\}|\*\s+as\s+(\w+))\s+from\s+"(\.[^"]+)";[^\S\n]*\n', re.MULTILINE)
_LAZY = re.compile(r'\bimport\("(\.[^"]+)"\)')
_REEXPORT = re.compile(r'^export\s+\{([^}]*)\}\s+from\s+"(\.[^"]+)";[^\S\n]*\n', re.MULTILINE)
_LISTED = re.compile(r"^export\s+\{([^}]*)\};[^\S\n]*\n", re.MULTILINE)
_DECLARED = re.compile(r"^export\s+((?:async\s+)?function\*?|class|const)\s+(\w+)", re.MULTILINE)
_LEFT = re.compile(r'^(?:export\b|import\s*[{*"\w]+[^(]*from\b).*', re.MULTILINE)
_CASTS = re.compile(r"/\*\* @(?:type|import) [^*\n]*\*/ ?")
_REMARKS = re.compile(r"(?<=[;{},()\[])[^\S\n]*// [^`\n]*$", re.MULTILINE)  # at the end of a line of code
_DOCS = re.compile(r"^[^\S\n]*/\*\*(?:[^*]|\*(?!/))*\*/[^\S\n]*\n", re.MULTILINE)

_TEXT_BEGINS = re.compile(r"(?:[=(,:?\[&|+]|\breturn)\s*`[^`]*$")  # and does not end on this line

_GONE = "\0"  # in place of a line that is left out


class UnknownShape(ValueError):
    """A module in a form that the joiner does not support."""


@dataclass(slots=True)
class Module:
    """One module: its imports, and its body without imports and exports, by lines with their numbers in `source`."""

    path: str
    source: str
    body: list[tuple[int, str]] = field(default_factory=list)
    imports: list[tuple[str, str]] = field(default_factory=list)  # (path, pattern that takes its exports apart)
    exports: list[str] = field(default_factory=list)  # entries of the object that it becomes
    lazy: list[str] = field(default_factory=list)

    @property
    def name(self) -> str:
        return name_of(self.path)

    @property
    def size(self) -> int:
        """Its characters without comments, imports and exports."""
        return sum(len(line) for _, line in self.body)


@dataclass(frozen=True, slots=True)
class JoinedFiles:
    """The joined files and their source maps by name; `needs`: the files that a module with a view takes, by the
    module's path.
    """

    files: Mapping[str, str]
    maps: Mapping[str, str]
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
    places = _places(order, views, modules)
    files: dict[str, list[str]] = {}
    for root in [*views, ENTRY]:  # shared parts come before, the start of the page last
        for path in order[root]:
            own = files.setdefault(places[path], [])
            if path not in own:
                own.append(path)
    needs = {root: tuple(sorted({places[path] for path in order[root]} | {CORE})) for root in [ENTRY, *views]}
    joined = {name: _file(name, paths, modules, places) for name, paths in files.items()}
    texts, maps = ({name: pair[part] for name, pair in joined.items()} for part in (0, 1))
    return JoinedFiles(texts, {f"{name}.map": text for name, text in maps.items()}, needs)


def read_module(path: str, text: str) -> Module:
    """Take a module apart. Raises UnknownShape."""
    module = Module(path, text)

    def importing(found: re.Match[str]) -> str:
        default, names, whole, target = found.groups()
        pattern = whole or "{ " + (f"default: {default}" if default else _renamed(names)) + " }"
        module.imports.append((_resolve(path, target), pattern))
        return _gone(found)

    def passing_on(found: re.Match[str]) -> str:
        target = _resolve(path, found[2])
        module.imports.append((target, "{}"))
        module.exports += [f"{new}: {name_of(target)}.{old}" for old, new in _pairs(found[1])]
        return _gone(found)

    def listing(found: re.Match[str]) -> str:
        module.exports += [f"{new}: {old}" for old, new in _pairs(found[1])]
        return _gone(found)

    def declaring(found: re.Match[str]) -> str:
        module.exports.append(found[2])
        return f"{found[1]} {found[2]}"

    body = _REMARKS.sub("", _CASTS.sub("", _DOCS.sub(_gone, text)))
    for shape, action in ((_IMPORT, importing), (_REEXPORT, passing_on), (_LISTED, listing), (_DECLARED, declaring)):
        body = shape.sub(action, body)
    if left := _LEFT.search(body):
        raise UnknownShape(f"{path}: write this import or export as other modules do: {left[0]!r}")
    module.lazy = [_resolve(path, target) for target in _LAZY.findall(body)]
    module.body = [(number, line) for number, line in enumerate(body.strip("\n").split("\n")) if line != _GONE]
    return module


def _gone(found: re.Match[str]) -> str:
    """Return as many lines that are left out as the match has, so that the others keep their numbers."""
    return f"{_GONE}\n" * found[0].count("\n")


def name_of(path: str) -> str:
    """Return the name of a module within a joined file."""
    return re.sub(r"\W", "_", path.removesuffix(".js"))


def is_vendored(path: str) -> bool:
    """Return True if a module is third-party: minified, and served unchanged."""
    return path.startswith("vendor/")


def _closure(root: str, modules: Mapping[str, Module], above: tuple[str, ...] = ()) -> Iterator[str]:
    """Yield `root` and its imports, each after all that it needs, and once. Raises UnknownShape for a circle."""
    seen = set()
    for path, _ in modules[root].imports:
        if path in (*above, root):
            raise UnknownShape(
                f"{root} imports {path}, which imports it in turn; move what both need into a third module"
            )
        if not is_vendored(path):
            for below in _closure(path, modules, (*above, root)):
                if below not in seen:
                    seen.add(below)
                    yield below
    yield root


def _places(order: Mapping[str, list[str]], views: list[str], modules: Mapping[str, Module]) -> dict[str, str]:
    """Return the file of each module.

    What the same views share is a file of its own if it is large, so that no other view loads it. `common.js` holds
    what else is shared. It imports no such file: a part that only some of the same views share stands apart as well.
    """
    places = dict.fromkeys(order[ENTRY], CORE)
    shared: dict[frozenset[str], list[str]] = {}
    for path in sorted({path for paths in order.values() for path in paths} - set(places)):
        users = frozenset(view for view in views if path in order[view])
        if len(users) == 1:
            places[path] = f"view_{posixpath.basename(min(users))}"
        elif FIRST in users:
            places[path] = CORE
        else:
            shared.setdefault(users, []).append(path)
    large = [users for users, paths in shared.items() if sum(modules[path].size for path in paths) >= LARGE]
    for users, paths in shared.items():
        apart = any(users <= each for each in large)
        names = "_".join(sorted(posixpath.basename(view).removesuffix(".js") for view in users))
        places |= dict.fromkeys(paths, f"shared_{names}.js" if apart else COMMON)
    return places


def _file(name: str, paths: list[str], modules: Mapping[str, Module], places: Mapping[str, str]) -> tuple[str, str]:
    """Return the text of a joined file, and its source map."""
    inside = set(paths)
    outside: dict[str, set[str]] = {}
    for path in paths:
        for needed, _ in modules[path].imports:
            if needed not in inside:
                outside.setdefault(places.get(needed, needed), set()).add(needed)
    lines: list[str] = []
    origins: list[tuple[int, int, int] | None] = []  # of each line: the index of its module, line and column in it
    for file, needed_there in sorted(outside.items()):
        what = (
            f"* as {name_of(file)}" if is_vendored(file) else f"{{ {', '.join(sorted(map(name_of, needed_there)))} }}"
        )
        lines.append(f'import {what} from "./{file}";')
        origins.append(None)
    for index, path in enumerate(paths):
        before, body, after = _joined(modules[path], places)
        lines += [*before, *(line for _, _, line in body), *after]
        origins += [None] * len(before) + [(index, number, at) for number, at, _ in body] + [None] * len(after)
    text = "\n".join(lines) + f"\n//# sourceMappingURL={name}.map\n"
    return text, _source_map(name, [modules[path] for path in paths], origins)


def _joined(module: Module, places: Mapping[str, str]) -> tuple[list[str], list[tuple[int, int, str]], list[str]]:
    """Return the module as a function's value: the lines before its body, the body, the lines after it."""

    def going_there(found: re.Match[str]) -> str:
        path = _resolve(module.path, found[1])
        if is_vendored(path):
            return f'import("./{path}")'
        return f'import("./{places[path]}").then((file) => file.{name_of(path)})'

    taken = [f"const {pattern} = {name_of(path)};" for path, pattern in module.imports if pattern != "{}"]
    body = [(number, column, _LAZY.sub(going_there, line)) for number, column, line in _without_indent(module.body)]
    return (
        [f"export const {module.name} = (() => {{", *taken],
        body,
        [f"return {{ {', '.join(module.exports)} }};", "})();"],
    )


def _without_indent(body: Sequence[tuple[int, str]]) -> Iterator[tuple[int, int, str]]:
    """Yield each line's number, the column where it begins, and the line from there, without its indent.

    `html` ignores indents, too; lines of a text that spans lines keep them. Elsewhere empty lines, and those with only
    a remark, are left out.
    """
    within = False
    for number, line in body:
        left = line if within else line.lstrip()
        if within or (left and not left.startswith("//")):
            yield number, len(line) - len(left), left
        within = "`" not in line if within else _TEXT_BEGINS.search(line) is not None


def _source_map(name: str, modules: Sequence[Module], origins: Sequence[tuple[int, int, int] | None]) -> str:
    """Return the source map (ECMA-426): for each line of a joined file its module, and line and column there."""
    mappings, last = [], (0, 0, 0)
    for origin in origins:
        if origin is None:
            mappings.append("")
            continue
        mappings.append("".join(map(_vlq, (0, *(new - old for new, old in zip(origin, last, strict=True))))))
        last = origin
    return json.dumps(
        {
            "version": 3,
            "file": name,
            "sources": [f"modules/{module.path}" for module in modules],
            "sourcesContent": [module.source for module in modules],
            "names": [],
            "mappings": ";".join(mappings),
        }
    )


_BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"


def _vlq(number: int) -> str:
    """Return a number in base 64, the lowest five bits first, its sign in the last bit."""
    left, digits = (abs(number) << 1) | (number < 0), ""
    while True:
        left, digit = left >> 5, left & 31
        digits += _BASE64[digit | (32 if left else 0)]
        if not left:
            return digits


def _resolve(path: str, target: str) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(path), target))


def _pairs(names: str) -> list[tuple[str, str]]:
    """Return `a, b as c` as (a, a), (b, c)."""
    words = [each.split(" as ") for each in names.split(",") if each.strip()]
    return [(each[0].strip(), each[-1].strip()) for each in words]


def _renamed(names: str) -> str:
    """Return the same as a pattern that takes an object apart."""
    return ", ".join(old if old == new else f"{old}: {new}" for old, new in _pairs(names))


# The page as it is served: joined scripts, a style sheet for all views and one for each, vendored files and pictures.

STYLES = "page.css"
COLOURS = "styles/tokens.css"  # stays a file of its own as well: the server's pictures of boards use its colours
FAILED = "failed.js"  # no module: it says when modules do not run
MANIFEST = "page.json"  # the views of a built page; a folder with this file is not joined again

_STYLESHEET = re.compile(r'[^\S\n]*<link rel="stylesheet" href="([^"]+)">\n')
_OF_VIEWS = re.compile(r'[^\S\n]*<link rel="stylesheet" href="([^"]+)" data-view="([^"]+)" disabled>\n')
_COMMENT = re.compile(r"[^\S\n]*/\*(?:[^*]|\*(?!/))*\*/")
_INDENT = re.compile(r"\n\s+")
_BREAK = re.compile(r"(?<=[{};,])\n| (?=\{\n)|;(?=\n\})")  # what a style sheet does not need
_SPARED = re.compile(r'"[^"\n]*"|, | > |(?<![\w.])0(?=\.\d)')  # texts stay; of the others, one character
_AFTER_NAME = re.compile(r"^([\w-]+): ", re.MULTILINE)
_ROUTE = re.compile(r'view: "([^"]+)", pattern: "([^"]*)"')
_LOADS = re.compile(r'^  "?([\w-]+)"?: async .*?import\("\.\./([^"]+)"\)', re.MULTILINE)


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
    files |= {name: text.encode() for name, text in {**joined.files, **joined.maps}.items()}
    files[FAILED] = _DOCS.sub("", scripts[FAILED]).encode()
    of_views = [(path, names.split()) for path, names in _OF_VIEWS.findall(index)]
    styled = sorted({view for _, names in of_views for view in names})
    sheets = {f"view_{view}.css": [path for path, names in of_views if view in names] for view in styled}
    sheets[STYLES] = _STYLESHEET.findall(index)
    files |= {name: _less("\n".join(sources[path].decode() for path in paths)) for name, paths in sheets.items()}
    links = "".join(
        f'    <link rel="stylesheet" href="view_{view}.css" data-view="{view}" disabled>\n' for view in styled
    )
    index = _OF_VIEWS.sub("", _STYLESHEET.sub("", index)).replace("  </head>", f"{links}  </head>")
    modules = dict(_LOADS.findall(scripts["lib/views.js"]))
    views = tuple((name, pattern, modules[name]) for name, pattern in _ROUTE.findall(scripts["lib/routes.js"]))
    return BuiltPage(files, index, views, joined.needs)


def _less(sheet: str) -> bytes:
    """Return a style sheet without what browsers do not need."""
    lines = _INDENT.sub("\n", _COMMENT.sub("", sheet))
    spare = _BREAK.sub("", _AFTER_NAME.sub(r"\1:", lines))
    return _SPARED.sub(lambda found: found[0] if found[0][0] == '"' else found[0].strip(" 0"), spare).encode()


def _is_picture(path: str) -> bool:
    return path.endswith((".svg", ".png", ".ico", ".webp", ".woff2"))
