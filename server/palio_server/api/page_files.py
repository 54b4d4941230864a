"""The page's files as browsers get them: in memory, compressed, under one digest of all of them.

A file with a digest in its address never changes, so that a browser requests it once. Only the page itself (index.html)
is requested again at each load; it names the others. Changes on disk while the server runs take effect then.
"""

import asyncio
import gzip
import hashlib
import mimetypes
import posixpath
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response

# The page's modules, joined at start into a few files: one with the needs of the first view, and one for each other
# view.
#
# A browser that is far away pays a round trip for each layer of imports and, on HTTP/1.1, for each six files. The
# modules remain the source, used in development and in tests: there is no build. They are of a few known shapes
# (imports at the top, named exports of constants, functions and classes), so that joining them needs no parser: each
# becomes a function that returns its exports. Another shape is refused with its file and line.

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
    """The joined files. `files` by name; `needs`: the files that a module with a view in it takes, by the module's
    path.
    """

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
    """Return the module as a function's value. In a circle of imports, a module that comes `later` is passed in when it
    exists.
    """

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


STATIC = "static"  # the first word of the files' addresses
STYLES = "page.css"
FOREVER = "public, max-age=31536000, immutable"

_STYLESHEET = re.compile(r'[^\S\n]*<link rel="stylesheet" href="([^"]+)">\n')
_PRELOAD = re.compile(r'[^\S\n]*<link rel="modulepreload" href="([^"]+)">\n')
_COMMENT = re.compile(r"^[^\S\n]*/\*(?:[^*]|\*(?!/))*\*/[^\S\n]*\n", re.MULTILINE)
_LOADS = re.compile(r'view: "([^"]+)", pattern: "([^"]*)".*?import\("\.\./([^"]+)"\)')


@dataclass(frozen=True, slots=True)
class PageFile:
    """One file: its bytes, compressed ones if that makes it smaller, and its type."""

    content: bytes
    packed: bytes | None
    kind: str


@dataclass(frozen=True, slots=True)
class PageView:
    """One view of the page, as in `lib/views.js`: its name, the shape of its addresses, its module."""

    name: str
    pattern: str
    module: str

    def fits(self, words: list[str]) -> bool:
        """Return True if an address of these words is this view's, by the rule of `route` in `lib/router.js`."""
        pattern = [part for part in self.pattern.split("/") if part]
        if len(words) > len(pattern):
            return False
        given = zip(pattern, words, strict=False)
        rest = pattern[len(words) :]
        return all(part.startswith(":") or part == word for part, word in given) and all(p.endswith("?") for p in rest)


@dataclass(frozen=True, slots=True)
class PageTree:
    """All files at one moment."""

    digest: str
    files: Mapping[str, PageFile]
    index: str  # the page, without the parts that depend on its view
    views: tuple[PageView, ...]
    needs: Mapping[str, tuple[str, ...]]  # scripts of a view, by its module

    def view(self, path: str) -> PageView | None:
        """Return the view at an address below the page's base."""
        words = [word for word in path.split("/") if word]
        return next((view for view in self.views if view.fits(words)), None)

    @property
    def base(self) -> str:
        """The folder of the files, relative to the page's base."""
        return f"{STATIC}/{self.digest}/"

    def preloads(self, module: str | None) -> str:
        """Return the links by which a browser requests all scripts of a view at once, not layer by layer."""
        vendored = [path for path in self.files if path.startswith("vendor/") and path in self.index]
        scripts = [*self.needs.get(module or ENTRY, ()), *vendored]
        return "".join(f'    <link rel="modulepreload" href="{self.base}{path}">\n' for path in scripts)


class PageFiles:
    """The page's folder, read again when it has changed."""

    def __init__(self, web: Path) -> None:
        self._web = web
        self._state: tuple[object, ...] = ()
        self._tree: PageTree | None = None
        self._turn = asyncio.Lock()

    def tree(self) -> PageTree:
        """Return the present files. Raises UnknownShape."""
        paths = sorted(path for path in self._web.rglob("*") if path.is_file())
        state = tuple((path, stat.st_mtime_ns, stat.st_size) for path in paths for stat in [path.stat()])
        if self._tree is None or state != self._state:
            sources = {path.relative_to(self._web).as_posix(): path.read_bytes() for path in paths}
            self._tree, self._state = read(sources), state
        return self._tree

    async def newest(self) -> PageTree:
        """Return the present files, read in a thread: reading and compressing them all takes longer than a match can
        wait.
        """
        async with self._turn:
            return await asyncio.to_thread(self.tree)

    async def answer(self, request: Request) -> Response:
        """Return the file at /static/DIGEST/PATH. Files of another digest do not exist: that client has an old page."""
        tree = self._tree or await self.newest()
        file = tree.files.get(request.path_params["path"]) if request.path_params["digest"] == tree.digest else None
        if file is None:
            return Response(status_code=404, headers={"Cache-Control": "no-store"})
        return answer(request, file.content, file.packed, file.kind, FOREVER)


def read(sources: Mapping[str, bytes]) -> PageTree:
    """Return the served form of a folder's files. Raises UnknownShape."""
    index = sources["index.html"].decode()
    scripts = {path: content.decode() for path, content in sources.items() if path.endswith(".js")}
    joined = join(scripts)
    served = {path: content for path, content in sources.items() if path.startswith("vendor/") or _is_picture(path)}
    served |= {name: text.encode() for name, text in joined.files.items()}
    sheets = [sources[path].decode() for path in _STYLESHEET.findall(index)]
    served[STYLES] = _COMMENT.sub("", "\n".join(sheets)).encode()
    index = _STYLESHEET.sub("", index)
    digest = hashlib.sha256(repr(sorted(served.items())).encode()).hexdigest()[:12]
    views = tuple(PageView(*found) for found in _LOADS.findall(scripts["lib/views.js"]))
    files = {path: pack(content, mimetypes.guess_type(path)[0] or "text/plain") for path, content in served.items()}
    return PageTree(digest, files, index, views, joined.needs)


def pack(content: bytes, kind: str) -> PageFile:
    """Return a file with its compressed form."""
    packed = gzip.compress(content, 9, mtime=0)
    textual = kind.startswith("text/") or "javascript" in kind
    return PageFile(
        content, packed if len(packed) < len(content) else None, f"{kind}; charset=utf-8" if textual else kind
    )


def answer(request: Request, content: bytes, packed: bytes | None, kind: str, keep: str, status: int = 200) -> Response:
    """Return the response to a browser: the compressed form, if the browser accepts that."""
    headers = {"Cache-Control": keep, "Vary": "Accept-Encoding"}
    if packed is not None and takes_gzip(request):
        headers["Content-Encoding"] = "gzip"
        content = packed
    response = Response(content, status, headers, kind)
    if request.method == "HEAD":
        response.body = b""  # the length stays that of the whole
    return response


def takes_gzip(request: Request) -> bool:
    """Return True if the browser accepts gzip."""
    offered = [each.replace(" ", "") for each in request.headers.get("Accept-Encoding", "").split(",")]
    return "gzip" in offered or any(each.startswith("gzip;q=") and float_of(each[7:]) > 0 for each in offered)


def float_of(text: str) -> float:
    """Return a number as a header writes it; 0 for anything else."""
    return float(text) if re.fullmatch(r"[0-9](\.[0-9]{1,3})?", text) else 0.0


def page_of(tree: PageTree, module: str | None, root: str, head: str) -> bytes:
    """Return the page with the files' real addresses, below `root`, and `head` in place of its title
    and description.
    """
    text = _PRELOAD.sub("", tree.index)
    text = text.replace('<base href="/">', f'<base href="{root}/">')
    text = re.sub(r'[^\S\n]*<meta name="description"[^>]*>\n[^\S\n]*<title>[^<]*</title>\n', lambda _: head, text)
    text = text.replace('href="icon.svg"', f'href="{tree.base}icon.svg"')
    started = f'    <script type="module" src="{tree.base}core.js"></script>\n'
    linked = f'    <link rel="stylesheet" href="{tree.base}{STYLES}">\n{tree.preloads(module)}{started}'
    return re.sub(r'[^\S\n]*<script type="module" src="app\.js"></script>\n', lambda _: linked, text).encode()


def _is_picture(path: str) -> bool:
    return path.endswith((".svg", ".png", ".ico", ".webp", ".woff2"))
