"""`-engine cmd=./a name=A arg=-x dir=there`, and `-each` for all of them, as BOTs of `palio run`."""

import re
import shlex
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from palio_rules.contract import engine_specs
from palio_rules.errors import BadOption, nearest

# A command line as it is read from left to right: options, their values, and words of the form key=value.

_OPTION = re.compile(r"--?([A-Za-z][\w-]*)(?:=(.*))?", re.DOTALL)
_PAIR = re.compile(r"([A-Za-z][\w.-]*)=(.*)", re.DOTALL)
_NUMBER = re.compile(r"[+-]?\d+(?:\.\d*)?", re.ASCII)


def option_of(word: str) -> tuple[str, str | None] | None:
    """`-rounds`, `--rounds=3`: the name, and the value if there is one. None: no option, as `-1.75` or `./a`."""
    found = _OPTION.fullmatch(word)
    return (found[1], found[2]) if found else None


def pair_of(word: str) -> tuple[str, str] | None:
    """`elo0=1.5` as key and value."""
    found = _PAIR.fullmatch(word)
    return (found[1], found[2]) if found else None


def _is_whole(word: str) -> bool:
    """Return whether a word is a whole number; nothing that can be asked for has more than nine digits."""
    return word.isascii() and word.isdigit() and len(word) <= 9


class Words:
    """The rest of a command line."""

    def __init__(self, words: Iterable[str]) -> None:
        self._rest = deque(words)

    def __iter__(self) -> Iterator[str]:
        while self._rest:
            yield self._rest.popleft()

    def first(self) -> str | None:
        """The next word, which is not taken."""
        return self._rest[0] if self._rest else None

    def any_value(self, option: str) -> str:
        """Take the next word. Raises BadOption if there is none."""
        if not self._rest:
            raise BadOption(f"{option} needs a value")
        return self._rest.popleft()

    def value(self, option: str) -> str:
        """The next word, which is no option. Raises BadOption if there is none."""
        if self._rest and (self._rest[0] == "--" or option_of(self._rest[0]) is not None):
            raise BadOption(f"{option} needs a value, got {self._rest[0]}")
        return self.any_value(option)

    def number(self, option: str, least: int = 0) -> int:
        """The next word, a whole number. Raises BadOption."""
        word = self.value(option)
        if not _is_whole(word) or int(word) < least:
            raise BadOption(f"{option} {word!r} is no number; write a whole number from {least} on")
        return int(word)

    def optional_number(self) -> int | None:
        """The next word, if it is a whole number."""
        if self._rest and _is_whole(self._rest[0]):
            return int(self._rest.popleft())
        return None

    def matching(self, form: re.Pattern[str]) -> str | None:
        """The next word, if it has this form."""
        return self._rest.popleft() if self._rest and form.fullmatch(self._rest[0]) else None

    def until_option(self) -> list[str]:
        """All words before the next option."""
        taken: list[str] = []
        while self._rest and self._rest[0] != "--" and option_of(self._rest[0]) is None:
            taken.append(self._rest.popleft())
        return taken

    def among(self, words: Iterable[str]) -> list[str]:
        """The next words, as long as they are some of these."""
        known, taken = set(words), list[str]()
        while self._rest and self._rest[0] in known:
            taken.append(self._rest.popleft())
        return taken

    def pairs(self, option: str, keys: Iterable[str], *, spaced: bool = False) -> dict[str, str]:
        """The next words of the form key=value with one of these keys. Another word ends them, as a bot does.

        `spaced`: one word may hold several of them, as ours does. Raises BadOption if a key is given twice, or is not
        known but near to one that is, or has a number as value.
        """
        known, found = list(keys), dict[str, str]()
        while self._rest and (pair := pair_of(self._rest[0])) is not None:
            key, value = pair
            if spaced and key in known and len(pieces := self._rest[0].split()) > 1:
                self._rest.popleft()
                self._rest.extendleft(reversed(pieces))
                continue
            if key not in known:
                if not get_close_matches(key, known, n=1) and not _NUMBER.fullmatch(value):
                    break  # NAME=BOT
                raise BadOption(f"{option} has no {key!r}; {nearest(key, known)}")
            if key in found:
                raise BadOption(f"{option} has {key!r} twice; keep one of them")
            found[key] = value
            self._rest.popleft()
        return found


Pairs = Sequence[tuple[str, str]]

_PROTOCOL = (
    "programs speak JSON lines on stdin and stdout, or UCI with proto=uci, UGI with proto=ugi, GTP with proto=gtp, "
    "docs/how-to/other-languages.md; leave it out"
)
_BOT_LIMITS = "the server limits time only; tell the bot by its arguments, args=..., or give proto=uci"
_ENGINES = engine_specs.SCHEMES  # values of `proto` for engines, which are told what other programs are not
_REFUSED = {
    "initstr": _PROTOCOL,
    "plies": _BOT_LIMITS,
    "trust": "the rules decide every game",
    "tscale": "a bot has 30 s to be ready for a match",
    "whitepov": "a bot tells scores from its own side",
}
_FLAGS = {"ponder", "trust", "whitepov"}
_LIMITS = ("depth", "nodes")
_BOOK = ("book", "bookdepth")
_OF_ENGINES = (*_LIMITS, "ponder", *_BOOK)  # what only UCI and UGI have words for
_TIMES = ("tc", "st", "timemargin")
_NEVER_EMPTY = ("book", "conf", "dir", "st", "stderr", "tc")  # an empty time would mean no clock
KEYS = ("cmd", "conf", "name", "dir", "arg", "args", "stderr", "restart", "proto", *_TIMES, *_OF_ENGINES, *_REFUSED)
_NOT_IN_A_NAME = re.compile(r"[^A-Za-z0-9._-]+")


def read_settings(option: str, words: Sequence[str]) -> Pairs:
    """The settings of one `-engine`, or of `-each`. Raises BadOption, with the nearest known name."""
    return [_read(option, word) for word in words]


def _read(option: str, word: str) -> tuple[str, str]:
    key, value = pair_of(word) or (word, "")
    if key.startswith("option."):  # whose names may have spaces
        key, _, value = word.partition("=")
    if not key.startswith("option.") and key not in KEYS:
        if "=" in word:
            raise BadOption(f"{option} has no setting {key!r}; {nearest(key, KEYS)}")
        raise BadOption(f"{option} takes settings as in cmd=./engine, got {word!r}; the game stands first: run GAME")
    if ("=" not in word and key not in _FLAGS) or (key in _NEVER_EMPTY and not value):
        raise BadOption(f"{option} {key} needs a value: {key}=...")
    if key in _REFUSED:
        raise BadOption(f"{option} {key} has no meaning here: {_REFUSED[key]}")
    if key == "restart" and value not in ("auto", "on", "off"):
        raise BadOption(f"{option} restart={value} is unknown; {nearest(value, ('auto', 'on', 'off'))}")
    if key == "timemargin" and not _is_whole(value):
        raise BadOption(f"{option} timemargin={value} is no number of milliseconds; write timemargin=200")
    if key in (*_LIMITS, "bookdepth") and (not _is_whole(value) or int(value) < 1):
        raise BadOption(f"{option} {key}={value} is no limit; write a whole number from 1 on")
    if key == "proto" and value not in ("palio", *_ENGINES):
        raise BadOption(f"{option} proto={value}: {_PROTOCOL}")
    return key, value


@dataclass(frozen=True, slots=True)
class Engine:
    """A bot as `-engine` describes it, what `-each` says of all included."""

    settings: Pairs

    def last(self, key: str) -> str | None:
        """The last value given for this setting."""
        return next((value for name, value in reversed(self.settings) if name == key), None)

    def all(self, key: str) -> list[str]:
        return [value for name, value in self.settings if name == key]

    def bot(self, is_file: Callable[[str], bool]) -> str:
        """As `palio run` takes it: NAME=exec:COMMAND, or with proto=uci NAME=uci:COMMAND. Raises BadOption.

        `is_file` says whether a text is the path of a file: then it is no command with arguments.
        """
        name = self.last("name")
        if name is not None and (not name or _NOT_IN_A_NAME.search(name) or not name[0].isalnum()):
            usual = _NOT_IN_A_NAME.sub("-", name).strip("-._") or "A"
            raise BadOption(f"name={name!r} has signs that no bot's name has; write name={usual}")
        configured, command = self.last("conf"), self.last("cmd")
        if (configured is None) == (command is None):
            raise BadOption("-engine needs one of cmd=PROGRAM and conf=BOT, a bot that ships or a Python file")
        spec = self._configured(configured) if configured is not None else self._program(command or "", is_file)
        return spec if name is None else f"{name}={spec}"

    def _configured(self, bot: str) -> str:
        """A bot by its spec, with `option.NAME=VALUE` as its settings."""
        for key in ("dir", "arg", "args", "stderr", *_OF_ENGINES):
            if self.last(key) is not None:
                raise BadOption(f"-engine conf={bot} takes no {key}=, which is for programs: cmd=PROGRAM")
        chosen = ",".join(f"{key}={value}" for key, value in self._options())
        return f"{bot}{',' if ':' in bot else ':'}{chosen}" if chosen else bot

    def _options(self) -> list[tuple[str, str]]:
        found = {key.partition(".")[2]: value for key, value in self.settings if key.startswith("option.")}
        return list(found.items())

    def _program(self, command: str, is_file: Callable[[str], bool]) -> str:
        proto = self.last("proto") or ""
        scheme = proto if proto in _ENGINES else "exec"
        if scheme == "exec":
            self._refuse_what_is_for_engines()
        if not command.strip():
            raise BadOption("-engine cmd= names no program; write cmd=./engine")
        if scheme == engine_specs.GTP:
            self._refuse_what_gtp_has_not()
        line = _shell_words("cmd", command) if " " in command and not is_file(command) else [command]
        for key, value in self.settings:  # arguments in the order in which they were given
            line += [value] if key == "arg" else _shell_words("args", value) if key == "args" else []
        settings = [f"option.{key}={value}" for key, value in self._options()]
        settings += [f"{engine_specs.GO}{key}={limit}" for key in _LIMITS if (limit := self.last(key)) is not None]
        settings += [f"{engine_specs.OWN}{key}={text}" for key in _BOOK if (text := self.last(key)) is not None]
        settings += ["option.Ponder=true"] if self.last("ponder") is not None else []
        settings += ["restart=on"] if scheme != "exec" and self.last("restart") == "on" else []
        return f"{scheme}:{engine_specs.joined([*self._elsewhere(line), *settings])}"

    def _refuse_what_is_for_engines(self) -> None:
        """Raise BadOption for settings that a program gets by UCI or UGI only."""
        if self._options():
            key, value = self._options()[0]
            raise BadOption(
                f"-engine option.{key}={value} is for proto=uci and proto=ugi; tell others by arguments: "
                f"args='--{key} {value}'"
            )
        for key in _LIMITS:
            if self.last(key) is not None:
                raise BadOption(f"-engine {key} has no meaning here: {_BOT_LIMITS}")
        if (book := self.last("book")) is not None:
            raise BadOption(
                f"-engine book={book} is for proto=uci; tell others by arguments, or begin the games of all by "
                f"--openings file={book}"
            )
        if self.last("ponder") is not None:
            raise BadOption(
                "-engine ponder is for proto=uci; another bot may think whenever it likes, in a sandbox with a "
                "twentieth of a core while its opponent thinks"
            )
        if self.last("restart") == "off":
            raise BadOption(
                "-engine restart=off: a program stays for the next game if it says so, docs/how-to/other-languages.md"
            )

    def _refuse_what_gtp_has_not(self) -> None:
        """Raise BadOption for settings that have no word in GTP."""
        said = [f"option.{key}" for key, _ in self._options()]
        said += [key for key in _OF_ENGINES if self.last(key) is not None]
        if said:
            raise BadOption(f"-engine {said[0]} has no word in GTP; give the engine a flag in cmd= or args=")

    def _elsewhere(self, line: list[str]) -> list[str]:
        """In its folder, with its stderr in a file: the shell does that, and becomes the program."""
        folder, stderr = self.last("dir"), self.last("stderr")
        if folder is None and stderr is None:
            return line
        errors = "" if stderr is None else f"exec 2>>{shlex.quote(stderr)}; "
        there = "" if folder is None else f"cd {shlex.quote(folder)} && "
        return ["sh", "-c", f'{errors}{there}exec "$@"', "sh", *line]


def _shell_words(key: str, text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError as error:
        raise BadOption(f"-engine {key}={text} cannot be read: {error}; quote it as for a shell") from None


def time_of(engine: Engine) -> str | None:
    """Return `tc` and `st` of an engine as one text, as `--odds` takes it; None without them. Raises BadOption."""
    tc, st = (None if (text := engine.last(key)) is None else plain_time(key, text) for key in ("tc", "st"))
    return " ".join(filter(None, (tc, st and f"{st}/move"))) or None


def plain_time(key: str, text: str) -> str:
    """Return a time control of theirs as our own. Raises BadOption for an hourglass."""
    moves, slash, time = text.rpartition("/")
    if "hg" in time:
        raise BadOption(f"{key}={text}: there are no hourglasses here; write {key}=SECONDS+INCREMENT")
    if slash and moves not in ("0", "inf", "infinite"):
        return text
    return "inf" if time == "infinite" else time


# `-rounds`, `-games` and `-repeat`: how often a pair meets, as rounds of encounters.


def encounters(games: int | None, repeat: int | None, orders: int) -> tuple[int, int | None]:
    """By what to multiply the rounds, and how many games an encounter has; None: one for each order of the seats.

    There, a pair plays rounds x games, and `repeat` of them with the same opening; here, an encounter is one opening in
    some or all of the `orders` of the seats (2 in a duel). Raises BadOption if there is no such number of rounds.
    """
    if repeat is not None and games is not None and repeat != games and (repeat != orders or games % orders):
        raise BadOption(
            f"-games {games} with -repeat {repeat}: an opening is played once from each side here; "
            f"write -games {orders}, and as many -rounds as openings"
        )
    wanted = repeat if games is None else games
    if wanted is None or wanted == orders:
        return 1, wanted
    if wanted < orders:
        return 1, wanted
    if repeat is not None and repeat > orders:
        raise BadOption(f"-repeat {repeat}: an opening is played once from each side here; write -repeat {orders}")
    return (wanted // orders, orders) if wanted % orders == 0 else (wanted, 1)
