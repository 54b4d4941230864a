"""The page's files as browsers get them: in memory, compressed, under one digest of all of them.

A file with a digest in its address never changes, so that a browser requests it once. Only the page itself (index.html)
is requested again at each load; it names the others. Changes on disk while the server runs take effect then.
"""

import asyncio
import gzip
import hashlib
import mimetypes
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response

from palio_server.api.page_joiner import ENTRY, FAILED, STYLES, build

STATIC = "static"  # the first word of the files' addresses
FOREVER = "public, max-age=31536000, immutable"

_PRELOAD = re.compile(r'[^\S\n]*<link rel="modulepreload" href="([^"]+)">\n')


@dataclass(frozen=True, slots=True)
class PageFile:
    """One file: its bytes, compressed ones if that makes it smaller, and its type."""

    content: bytes
    packed: bytes | None
    kind: str


@dataclass(frozen=True, slots=True)
class PageView:
    """One view of the page, as in `lib/routes.js`: its name and the shape of its addresses; and its module."""

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
    """Return what is served of a folder's files. Raises UnknownShape."""
    page = build(sources)
    digest = hashlib.sha256(repr(sorted(page.files.items())).encode()).hexdigest()[:12]
    files = {path: pack(content, mimetypes.guess_type(path)[0] or "text/plain") for path, content in page.files.items()}
    return PageTree(digest, files, page.index, tuple(PageView(*each) for each in page.views), page.needs)


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


def page_of(tree: PageTree, view: PageView | None, root: str, head: str, answers: str = "") -> bytes:
    """Return the page with the files' real addresses, below `root`, and `head` in place of its title
    and description; `answers` are further links, which a browser follows after those of styles and scripts.
    Of the views' style sheets only that of `view` is loaded with the page.
    """
    text = _PRELOAD.sub("", tree.index)
    text = text.replace('<base href="/">', f'<base href="{root}/">')
    text = re.sub(r'[^\S\n]*<meta name="description"[^>]*>\n[^\S\n]*<title>[^<]*</title>\n', lambda _: head, text)
    text = re.sub(r'href="([^"]+)" data-view=', rf'href="{tree.base}\1" data-view=', text)
    text = text.replace(f'data-view="{view.name}" disabled', f'data-view="{view.name}"') if view else text
    text = text.replace('href="icon.svg"', f'href="{tree.base}icon.svg"')
    text = text.replace(f'src="{FAILED}"', f'src="{tree.base}{FAILED}"')
    started = f'    <script type="module" src="{tree.base}core.js"></script>\n'
    scripts = tree.preloads(view.module if view else None)
    linked = f'    <link rel="stylesheet" href="{tree.base}{STYLES}">\n{scripts}{answers}{started}'
    return re.sub(r'[^\S\n]*<script type="module" src="app\.js"></script>\n', lambda _: linked, text).encode()
