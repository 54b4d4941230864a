"""The templates of `palio new`: a bot in one of several languages, or a game, each with its test.

A template is a file beside this one, a text in its own language. In it `__NAME__` and similar words are placeholders.
Lines between `//+word` and `//-word` (or `#+word`, `#-word`) are for games of that kind only: `listed`, whose legal
moves are listed in every turn, and `anytime`, in which a move is a whole solution.
"""

import keyword
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import PurePath

from palio_rules.errors import BadOption, nearest, quoted


@dataclass(frozen=True, slots=True)
class Language:
    """A language: its build and run commands. `{file}` is the file's name, `{program}` that of the built program.

    The program of `mine.rs` is `mine-rs`, so that `mine.cpp` beside it does not write over it.
    """

    name: str
    suffixes: tuple[str, ...]  # the first is the default
    template: str
    build: tuple[str, ...]  # "" if nothing is built
    run: tuple[str, ...]
    toolchain: str  # the needed software, for people

    def words(self, command: tuple[str, ...], file: str, class_name: str) -> list[str]:
        program = file.replace(".", "-")
        return [word.format(file=file, program=program, class_name=class_name) for word in command]


LANGUAGES = {
    language.name: language
    for language in (
        Language("python", (".py",), "bot.py.txt", (), (), "Python"),
        Language("js", (".mjs", ".js"), "bot.js.txt", (), ("node", "./{file}"), "Node.js 18 or newer"),
        Language(
            "rust", (".rs",), "bot.rs.txt", ("rustc", "-O", "{file}", "-o", "{program}"), ("./{program}",), "Rust"
        ),
        Language("go", (".go",), "bot.go.txt", ("go", "build", "-o", "{program}", "{file}"), ("./{program}",), "Go"),
        Language(
            "java",
            (".java",),
            "bot.java.txt",
            ("javac", "-encoding", "UTF-8", "-d", "{program}-classes", "{file}"),
            ("java", "-cp", "./{program}-classes", "{class_name}"),
            "a JDK, version 17 or newer",
        ),
        Language(
            "cpp",
            (".cpp", ".cc", ".cxx"),
            "bot.cpp.txt",
            ("g++", "-std=c++17", "-O2", "{file}", "-o", "{program}"),
            ("./{program}",),
            "a C++ compiler, g++",
        ),
    )
}
_ALIASES = {"javascript": "js", "node": "js", "c++": "cpp", "golang": "go", "py": "python", "rs": "rust"}


def language_of(file: PurePath, named: str | None) -> Language:
    """Return the language `named`, or that of the file's suffix. Raises BadOption if they differ."""
    by_suffix = next((each for each in LANGUAGES.values() if file.suffix in each.suffixes), None)
    if named is None:
        if by_suffix is None and file.suffix:
            known = ", ".join(each.suffixes[0] for each in LANGUAGES.values())
            raise BadOption(f"{file.name}: no language is known by {file.suffix}; known: {known}")
        return by_suffix or LANGUAGES["python"]
    name = _ALIASES.get(named.casefold(), named.casefold())
    if name not in LANGUAGES:
        raise BadOption(f"there is no skeleton for {quoted(named)}; {nearest(named, LANGUAGES)}")
    if by_suffix is not None and by_suffix.name != name:
        raise BadOption(f"{file.name} is a file of {by_suffix.name}, not of {name}; leave --language out")
    if by_suffix is None and file.suffix:
        raise BadOption(f"{file.name} does not look like {name}; call it {file.stem}{LANGUAGES[name].suffixes[0]}")
    return LANGUAGES[name]


def class_name_of(stem: str) -> str:
    """Return a file's name in the form of a class name.

    >>> class_name_of("my_bot")
    'MyBot'
    """
    words = [word for word in re.split(r"[^A-Za-z0-9]+", stem) if word]
    return "".join(word[0].upper() + word[1:] for word in words)


def check_stem(file: PurePath) -> str:
    """Return the file's name without its suffix, if it can be imported. Raises BadOption with one that can."""
    stem = file.stem
    if stem.isidentifier() and stem.isascii() and not keyword.iskeyword(stem) and class_name_of(stem)[:1].isalpha():
        return stem
    better = re.sub(r"[^A-Za-z0-9]+", "_", stem).strip("_") or "mine"
    better = f"my_{better}" if not better[0].isalpha() or keyword.iskeyword(better) else better
    raise BadOption(f"{file.name} is no name for a module; call it {better}{file.suffix}")


def filled(template: str, words: Mapping[str, str], kinds: Collection[str] = ()) -> str:
    """Return the text of a template with `words` for `__WORD__`, and only the parts for `kinds`."""
    lines, skipped = [], ""
    for line in _text(template).splitlines():
        marker = re.fullmatch(r"\s*(?://|#)([+-])(\w+)", line)
        if marker is None:
            lines += [] if skipped else [line]
        elif marker[1] == "+" and not skipped and marker[2] not in kinds:
            skipped = marker[2]
        elif marker[2] == skipped:
            skipped = ""
    text = "\n".join(lines) + "\n"
    for word, value in words.items():
        text = text.replace(f"__{word}__", value)
    return text


@cache
def _text(template: str) -> str:
    return (files(__name__) / template).read_text("utf-8")
