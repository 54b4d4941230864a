"""Build the documentation as a site: `make docs`, or `python -m tools.site.build [FOLDER]`; broken links are errors.

Copies `docs/` and a few other pages into `.site/`, writes there what is made from the code (options of all commands,
settings, operations of the HTTP API, public names of Python), and lets Zensical make `site/` of it. In `docs/` a
comment `<!-- made from the code: NAME -->` says where such a part stands.
"""

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

from tools.site.from_code import MADE

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
STAGE = ROOT / ".site"
CONFIG = Path(__file__).with_name("zensical.toml")

# Pages of the repository that stand outside of docs/, and where they are on the site.
OTHERS = {
    "ARCHITECTURE.md": "architecture.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "security.md",
    "CHANGELOG.md": "changelog.md",
    **{
        path.relative_to(ROOT).as_posix(): f"reference/games/{path.name}"
        for path in sorted((ROOT / "rules/palio_rules/games/about").glob("*.md"))
    },
}
LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s#]*)(#[^)\s]*)?\)")
MARK = re.compile(r"<!-- made from the code: ([\w ]+) -->")
INLINE = re.compile(r"<script>(.*?)</script>", re.DOTALL)
FENCE = re.compile(r"(^```.*?^```$)", re.DOTALL | re.MULTILINE)


def pages() -> list[str]:
    """All pages of docs/, as paths below it."""
    return sorted(path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md"))


def named(entries: list[object]) -> Iterator[str]:
    """The pages that a navigation names, in its order."""
    for entry in entries:
        if isinstance(entry, str):
            yield entry
        elif isinstance(entry, dict):
            for below in entry.values():
                yield from named(below if isinstance(below, list) else [below])


def config() -> str:
    """Zensical's configuration: the file beside this one, with the other pages in its navigation."""
    text = CONFIG.read_text("utf-8")
    others = [page for page in OTHERS.values() if "/" not in page]
    games = [page for page in OTHERS.values() if "/" in page]
    text = text.replace('{ "For developers" = [', '{ "For developers" = [\n' + "".join(f'    "{p}",\n' for p in others))
    rules = "".join(f'      "{page}",\n' for page in games)
    return text.replace('    "reference/games.md",\n', f'    {{ "Games" = [ "reference/games.md",\n{rules}    ] }},\n')


def navigation() -> list[str]:
    return list(named(tomllib.loads(config())["project"]["nav"]))


def linked(text: str, source: str, place: str) -> str:
    """The text of the file `source`, for the page `place` of the site: links lead to pages, or are no links."""

    def target(found: re.Match[str]) -> str:
        picture, label, path, anchor = found[1], found[2], found[3], found[4] or ""
        if not path or re.match(r"[a-z][a-z+]*:", path):
            return found[0]
        whole = Path(os.path.normpath(ROOT / Path(source).parent / path))
        name = whole.relative_to(ROOT).as_posix()
        there = OTHERS.get(name) or (name.removeprefix("docs/") if name.startswith("docs/") else None)
        if there is None or whole.is_dir():
            return found[0] if picture else label  # of the sources the site has the name only
        return f"{picture}[{label}]({os.path.relpath(there, Path(place).parent)}{anchor})"

    parts = FENCE.split(text)
    return "".join(part if number % 2 else LINK.sub(target, part) for number, part in enumerate(parts))


SOURCES = 'paths = ["palio", "rules", "clients", "server", "db"]'


def _absolute(line: str) -> str:
    """Return the line with whole paths: links to the folders would hide them from the build of an sdist."""
    return re.sub(r'"(\w+)"', lambda found: f'"{ROOT / found[1]}"', line)


def stage() -> None:
    """Write what Zensical reads."""
    shutil.rmtree(STAGE, ignore_errors=True)
    shutil.copytree(DOCS, STAGE / "docs")
    sources = {f"docs/{page}": page for page in pages()} | OTHERS
    for source, place in sources.items():
        text = linked((ROOT / source).read_text("utf-8"), source, place)
        path = STAGE / "docs" / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(MARK.sub(lambda found: MADE[found[1]](), text), "utf-8")
    shutil.copy(CONFIG.with_name("site.css"), STAGE / "docs")
    text = config()
    assert SOURCES in text
    (STAGE / "zensical.toml").write_text(text.replace(SOURCES, _absolute(SOURCES)), "utf-8")


def without_inline_scripts(site: Path) -> None:
    """Move each page's inline scripts into files: the server's pages allow no others."""
    for page in site.rglob("*.html"):
        up = "../" * (len(page.relative_to(site).parts) - 1)

        def moved(found: re.Match[str], up: str = up) -> str:
            name = f"inline-{hashlib.sha256(found[1].encode()).hexdigest()[:12]}.js"
            (site / "assets/javascripts" / name).write_text(found[1], "utf-8")
            return f'<script src="{up}assets/javascripts/{name}"></script>'

        page.write_text(INLINE.sub(moved, page.read_text("utf-8")), "utf-8")


def build(site: Path) -> int:
    """Build the site; the exit code of Zensical, which is not 0 where a link or an anchor leads nowhere."""
    stage()
    command = [sys.executable, "-m", "zensical", "build", "--strict"]
    done = subprocess.run(command, cwd=STAGE, env={**os.environ, "NO_COLOR": "1"}, check=False)  # noqa: S603
    if done.returncode == 0:
        without_inline_scripts(STAGE / "site")
        shutil.rmtree(site, ignore_errors=True)
        (STAGE / "site").rename(site)
        print(f"the site is in {site}: open index.html through a web server, or run palio serve")
    return done.returncode


if __name__ == "__main__":
    sys.exit(build(Path(sys.argv[1]).resolve() if sys.argv[1:] else ROOT / "site"))
