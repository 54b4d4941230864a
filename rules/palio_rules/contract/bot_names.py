"""The name of a bot that was given none: its program's or file's, and the settings, as both sides make it of the SPEC.

Another program, another file and another setting are another player, and have another name.
"""

import os
import re
import shlex
import shutil
from pathlib import Path

from palio_rules.contract import engine_specs, llm_specs
from palio_rules.contract.names import like_name
from palio_rules.python_file import PACKAGE

MOST = 40  # characters of a name that is made here: it stands in tables
# Endings that say what a file is, not which: a version is none, as in `stockfish_17.1`.
_ENDINGS = (
    *(".py", ".ipynb", ".js", ".mjs", ".cjs", ".ts", ".jar", ".class", ".rb", ".pl", ".php", ".lua", ".sh", ".jl"),
    *(".r", ".R", ".exe", ".bin"),
)
_NOT_PLAYED = (engine_specs.RESTART, engine_specs.SHOW, engine_specs.POSITION)  # how an engine is talked to
_FOLDERS = re.compile(r"[^\s=,:]*[/\\]")
_ELSEWHERE = re.compile(r'(?:exec 2>>.*; )?(?:cd (?P<folder>.*) && )?exec "\$@"', re.DOTALL)  # of `-engine dir=`
_HANDOUT = re.compile(r"[^:]+:(?P<file>.+?)(?::(?P<settings>[^:/\\]*=[^:]*))?", re.DOTALL)  # the part after `handout:`


def name_of(spec: str, *, folder: bool = False) -> str:
    """Return the name of the bot behind `spec`; "" if it gives none. `folder`: that of its file comes first.

    >>> name_of("uci:stockfish,nodes=100"), name_of("./mine.py:Mine:nerve=0.9")
    ('stockfish-nodes100', 'mine-Mine-nerve0.9')
    >>> name_of("exec:python3 bots/a.py --fast"), name_of("exec:python3 bots/a.py --fast", folder=True)
    ('a-fast', 'bots-a-fast')
    """
    file, settings = _parts(spec)
    path = Path(file.replace("\\", "/"))
    path = path.parent if path.name == PACKAGE else path
    stem = path.stem if path.suffix in _ENDINGS else path.name
    above = path.parent.name if folder or spec.startswith("handout:") else ""  # a course's files have one name
    words = [above, stem, *(_FOLDERS.sub("", each).lstrip("-") for each in settings)]
    return like_name("-".join(filter(None, words)).replace("=", ""), spec, MOST)


def program_of(spec: str) -> str:
    """Return the path of the program or file that plays, installed ones included; "" for a bot that is none."""
    scheme, colon, _ = spec.partition(":")
    file, _ = _parts(spec)
    return (shutil.which(file) or file) if colon and scheme in ("exec", *engine_specs.SCHEMES) else ""


def _parts(spec: str) -> tuple[str, list[str]]:
    """Return the file, program or installed bot that plays, and what sets it apart from others of that name."""
    kind, colon, rest = spec.partition(":")
    if kind == "policy" and rest:
        kind, colon, rest = rest.partition(":")
        return kind, [rest]
    if kind == "handout" and (found := _HANDOUT.fullmatch(rest)):
        return found["file"], [found["settings"] or ""]
    if kind == llm_specs.SCHEME and colon:
        return "", llm_specs.words_of(rest) or [kind]  # without a model `palio join` says what is missing
    if kind in engine_specs.SCHEMES and colon:
        argv, settings = engine_specs.parts_of(kind, rest)
        program, arguments = _program(argv)
        chosen = [each.partition(".")[2] for each in settings if not each.startswith(_NOT_PLAYED)]
        return program, [*_without_language(kind, arguments), *chosen]
    if kind == "exec" and colon:
        return _program(_shell_words(rest))
    return kind, [rest]


def _without_language(scheme: str, arguments: list[str]) -> list[str]:
    """Return the arguments of an engine but for those that make it speak, as `--uci` and `--mode gtp` do."""
    kept: list[str] = []
    for word in arguments:
        if word.lstrip("-") != scheme:
            kept.append(word)
        elif kept and kept[-1] == "--mode":
            kept.pop()
    return kept


def _shell_words(command: str) -> list[str]:
    try:
        return shlex.split(command)
    except ValueError:  # quotes that are not closed, which `palio join` refuses
        return command.split()


def _program(words: list[str]) -> tuple[str, list[str]]:
    """Return what a command starts, which of an interpreter is its script, and the arguments of that."""
    folder = ""
    if words[:2] == ["sh", "-c"] and (found := _ELSEWHERE.fullmatch(" ".join(words[2:3]))):
        folder, words = "".join(_shell_words(found["folder"] or "")), words[4:]  # the shell becomes the program
    scripts = (at for at, word in enumerate(words) if not word.startswith("-") and Path(word).suffix in _ENDINGS)
    at = next(scripts, 0)
    return (os.path.join(folder, words[at]), words[at + 1 :]) if words else ("", [])  # noqa: PTH118
