"""The files of bots, and of a game of a file, on their way to workers: packed here, unpacked once a worker.

They are known by their digest. What travels is what a sandbox would show a bot's program: its own folder, or its file
alone where that folder is a home folder. Databases, keys, hidden folders and caches stay.
"""

import hashlib
import os
import re
import stat
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath

import msgspec

from palio_rules import registry
from palio_rules.contract import llm_specs
from palio_rules.errors import BadOption
from palio_server.addons.cluster.wire import TravellingBot, TravellingGame
from palio_server.processes import Broken, Entrant, fail_if_broken
from palio_server.sandbox.binds import HiddenFileSearch, folder_of
from palio_server.sandbox.spec_files import SpecFiles, files_of, is_shipped

MOST_FILES = 4096  # of one bot or game
MOST_BYTES = 64 * 2**20
LEFT_OUT = frozenset(("__pycache__", "node_modules", "dask-scratch-space", "dask-worker-space"))
PLACE = "@palio-folder-{}@"  # in a spec, for each folder that travels
_DIGEST = re.compile(r"[0-9a-f]{64}")


class File(msgspec.Struct, frozen=True):
    """`path` is relative to the parcel, with slashes. `link`: where a symbolic link leads to, relative to itself."""

    path: str
    data: bytes = b""
    executable: bool = False
    link: str = ""


_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(list[File]).decode


class Parcels:
    """The bots and the game of a run as they travel, and the files of all of them by digest."""

    def __init__(
        self, entrants: Sequence[Entrant], game: str, hidden: Sequence[Path] = (), broken: Broken = fail_if_broken
    ) -> None:
        """`hidden` does not travel, wherever it lies.

        Raises BadOption for what is too large, leads elsewhere or is not there, unless `broken` takes note of that bot.
        """
        self.bodies: dict[str, bytes] = {}
        self._packed: dict[tuple[bool, tuple[Path, ...], frozenset[Path]], str] = {}  # digests, by what they hold
        self._hidden = frozenset(hidden)
        self.files: dict[str, list[File]] = {}
        self.game = self._travelling_game(game)
        self.bots = tuple(bot for entrant in entrants if (bot := self._if_it_can(entrant, broken)) is not None)

    def _travelling_game(self, name: str) -> TravellingGame:
        text = registry.typed(name)
        if not registry.is_file(text):
            return TravellingGame(name, text)
        root = folder_of(Path(registry.parts(text)[0]))
        kept = "" if root.is_dir() else f"/{root.name}"
        travelling = text.replace(str(root), PLACE.format(0) + kept, 1)
        return TravellingGame(name, travelling, self._parcel(f"game {name}", (root,), named=False))

    def _parcel(self, whose: str, roots: tuple[Path, ...], *, named: bool, asked: frozenset[Path] = frozenset()) -> str:
        """Return the digest of what is packed once for all bots that share it; what is `asked` for is always in it."""
        if (named, roots, asked) not in self._packed:
            files = list(_packed(whose, roots, self._hidden, asked, named=named))
            body = zlib.compress(_encode(files), 1)
            digest = hashlib.sha256(body).hexdigest()
            self._packed[named, roots, asked], self.bodies[digest], self.files[digest] = digest, body, files
        return self._packed[named, roots, asked]

    def _if_it_can(self, entrant: Entrant, broken: Broken) -> TravellingBot | None:
        try:
            return self._travelling(entrant)
        except BadOption as error:
            if broken(entrant.name, f"the bot {entrant.name} ({entrant.spec}) cannot travel: {error}"):
                return None
            raise

    def _travelling(self, entrant: Entrant) -> TravellingBot:
        found = SpecFiles(entrant.spec) if is_shipped(entrant.spec) else files_of(entrant.spec)
        keys = llm_specs.key_variables(entrant.spec, os.environ)
        if not found.files:
            return TravellingBot(entrant.name, found.spec, entrant.network, keys=keys)
        roots = tuple(dict.fromkeys(found.imports or folder_of(file) for file in found.files))
        asked = frozenset(each for each in found.files if each.suffix != ".py" and each.is_file())
        parcel = self._parcel(f"bot {entrant.name}", roots, named=found.named, asked=asked)
        spec = found.spec
        for place, root in sorted(enumerate(roots), key=lambda pair: -len(str(pair[1]))):
            kept = f"/{root.name}" if found.named or not root.is_dir() else ""
            spec = spec.replace(str(root), PLACE.format(place) + kept)
        return TravellingBot(entrant.name, spec, entrant.network, parcel, "0", keys)


def _packed(
    whose: str, roots: Sequence[Path], hidden: frozenset[Path], asked: frozenset[Path], *, named: bool
) -> Iterator[File]:
    size = count = 0
    for place, root in enumerate(roots):
        base = root if root.is_dir() else root.parent
        for path in [root] if base != root else _walk(root, hidden, asked):
            count += 1
            name = path.relative_to(root.parent if named else base).as_posix()
            found = _file(whose, f"{place}/{name}", path, base)
            size += len(found.data)
            if count > MOST_FILES or size > MOST_BYTES:
                much = f"more than {MOST_FILES} files" if count > MOST_FILES else f"more than {MOST_BYTES >> 20} MiB"
                remedy = f"put the {whose.split(maxsplit=1)[0]} in a folder of its own"
                raise BadOption(f"the {whose} cannot travel: the folder {base} holds {much}; {remedy}")
            yield found


def _walk(root: Path, hidden: frozenset[Path], asked: frozenset[Path]) -> Iterator[Path]:
    """All files and links of a folder that a bot may read, in one order everywhere. Raises BadOption."""
    environments = (each for each in root.iterdir() if _is_environment(each))
    apart = frozenset((*(root / name for name in LEFT_OUT), *environments))
    search = HiddenFileSearch(asked, apart=apart)
    search.look(root)
    hidden |= search.kinds.keys()
    for folder, names, files in os.walk(root):
        links = [name for name in names if Path(folder, name).is_symlink()]
        names[:] = sorted(
            name
            for name in names
            if _travels(name)
            and name not in links
            and (path := Path(folder, name)) not in hidden
            and not _is_environment(path)
        )
        for name in sorted((*files, *links)):
            path = Path(folder, name)
            if _travels(name) and path not in hidden:
                yield path


def _travels(name: str) -> bool:
    return not (name.startswith(".") or name in LEFT_OUT or name.endswith(".pyc"))


def _is_environment(folder: Path) -> bool:
    """Return whether a folder is a virtual environment, which a worker has of its own, under any name."""
    return (folder / "pyvenv.cfg").is_file()


def _file(whose: str, name: str, path: Path, base: Path) -> File:
    try:
        about = path.lstat()
        if stat.S_ISLNK(about.st_mode):
            target = path.parent.resolve() / path.readlink()
            if not Path(os.path.normpath(target)).is_relative_to(base.resolve()):
                raise BadOption(
                    f"the {whose} cannot travel: {path} leads out of its folder, to {path.readlink()}; copy it there"
                )
            return File(name, link=os.path.relpath(os.path.normpath(target), path.parent.resolve()))
        if not stat.S_ISREG(about.st_mode):
            remedy = f"put the {whose.split(maxsplit=1)[0]} in a folder of its own"
            raise BadOption(f"the {whose} cannot travel: {path} is no file; {remedy}")
        if about.st_size > MOST_BYTES:
            return File(name, bytes(MOST_BYTES + 1))  # too much already
        return File(name, path.read_bytes(), bool(about.st_mode & stat.S_IXUSR))
    except OSError as error:
        raise BadOption(
            f"the {whose} cannot travel: {path} cannot be read ({error.strerror}); put it where we may read it"
        ) from None


def missing(digests: Sequence[str], folder: Path) -> list[str]:
    """Those that have not been unpacked in `folder`."""
    return [digest for digest in digests if not (folder / digest).is_dir()]


def unpack(digest: str, body: bytes, folder: Path) -> None:
    """Unpack a parcel in `folder`. Harmless twice. Raises ValueError for one that is not what it says it is."""
    if not _DIGEST.fullmatch(digest) or hashlib.sha256(body).hexdigest() != digest:
        raise ValueError(f"a parcel came that is not {digest[:12]}")
    if (folder / digest).is_dir():
        return
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    being = folder / f"{digest}.{os.getpid()}"
    for file in _decode(zlib.decompress(body)):
        path = PurePosixPath(file.path)
        if path.is_absolute() or ".." in path.parts or not path.parts:
            raise ValueError(f"a parcel has a file outside itself, {file.path!r}")
        place = being / path
        place.parent.mkdir(parents=True, exist_ok=True)
        if file.link:
            if not Path(os.path.normpath(place.parent / file.link)).is_relative_to(being):
                raise ValueError(f"a parcel has a link out of itself, {file.path!r}")
            place.symlink_to(file.link)
        else:
            place.write_bytes(file.data)
            place.chmod(
                0o755 if file.executable else 0o644
            )  # a sandbox is another user; the folder above admits no others
    (being / "0").mkdir(parents=True, exist_ok=True)
    being.rename(folder / digest)


def unpacked_bot(bot: TravellingBot, folder: Path) -> Entrant:
    """A bot as it can be started where its parcel was unpacked in `folder`."""
    if not bot.parcel:
        return Entrant(bot.name, bot.spec, bot.network)
    base = folder / bot.parcel
    spec = bot.spec
    for place in range(len(list(base.iterdir()))):
        spec = spec.replace(PLACE.format(place), str(base / str(place)))
    return Entrant(bot.name, spec, bot.network, str(base / bot.home))


def unpacked_game(game: TravellingGame, folder: Path) -> str:
    """Return the spec of a game whose parcel was unpacked in `folder`."""
    return game.typed.replace(PLACE.format(0), str(folder / game.parcel / "0"), 1)
