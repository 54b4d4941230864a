"""The question to a model, as a text with placeholders: your own, or the one that ships for a game.

    [system]
    You play {title}.
    [user]
    {board}
    {answer}

A word in braces that is a placeholder is replaced; braces around anything else, such as JSON, stay unchanged.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from palio_clients.sdk.failures import BadBot
from palio_rules.errors import nearest, quoted

PLACEHOLDERS = {
    "title": "the game's name",
    "rules": "its rules, as its page has them",
    "seat": "the seat that the model plays",
    "seats": "all seats, in the order of play",
    "board": "the position as a text board",
    "position": "the position as one line of text",
    "history": "the moves so far",
    "moves": "the legal moves, as far as they can be listed",
    "clock": "how much time is left",
    "answer": "how to answer",
}
SHOWS = ("board", "position", "moves")  # a template without any of them asks about nothing
LONGEST = 64 * 1024  # bytes
_PLACE = re.compile(r"\{([a-z_]+)\}")
_SECTION = re.compile(r"^\[(\w+)\][ \t]*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Template:
    """The two messages with which a conversation begins."""

    system: str
    user: str

    def filled(self, values: Mapping[str, str]) -> list[dict[str, str]]:
        """The messages; `values` has a text for each placeholder."""
        found = []
        for role, text in (("system", self.system), ("user", self.user)):
            if text:
                content = _PLACE.sub(lambda place: values[place[1]], text).strip()
                found.append({"role": role, "content": content})
        return found


def parse(text: str, where: str) -> Template:
    """Read a template. Raises BadBot, which names the file, the line and the remedy."""
    for place in _PLACE.finditer(text):
        if place[1] not in PLACEHOLDERS:
            line = text.count("\n", 0, place.start()) + 1
            raise BadBot(f"{where}, line {line}: {place[0]} is no placeholder; {nearest(place[1], PLACEHOLDERS)}")
    parts = _SECTION.split(text)
    sections: dict[str, str] = {}
    if len(parts) == 1:
        sections["user"] = text
    elif parts[0].strip():
        raise BadBot(f"{where}: there is text before [{parts[1]}]; put it into [system] or [user]")
    for name, body in zip(parts[1::2], parts[2::2], strict=True):
        if name not in ("system", "user"):
            raise BadBot(f"{where}: [{name}] is no part of a template; {nearest(name, ('system', 'user'))}")
        if name in sections:
            raise BadBot(f"{where}: [{name}] is there twice; keep one of them")
        sections[name] = body.strip()
    shown = set(_PLACE.findall(sections.get("user", "")))
    if not shown.intersection(SHOWS):
        raise BadBot(f"{where}: what the user asks shows no position; put {{board}} or {{position}} into [user]")
    return Template(sections.get("system", ""), sections["user"])


def read(path: str) -> Template:
    """The template in one's own file. Raises BadBot."""
    try:
        data = Path(path).read_bytes()
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise BadBot(
            f"the template {quoted(path)} cannot be read: {why}; check the path (here is {Path.cwd()})"
        ) from None
    if len(data) > LONGEST:
        raise BadBot(f"the template {quoted(path)} has {len(data)} bytes; {LONGEST} are the most")
    try:
        return parse(data.decode(), Path(path).name)
    except UnicodeDecodeError as error:
        raise BadBot(f"the template {quoted(path)} is no UTF-8, at byte {error.start}; save it as UTF-8") from None


def shipped(game: str) -> Template:
    """The template for `game`: its own, or the one for any game."""
    folder = files("palio_clients.addons.llm") / "templates"
    own = folder / f"{game}.txt"
    file = own if own.is_file() else folder / "default.txt"
    return parse(file.read_text("utf-8"), file.name)
