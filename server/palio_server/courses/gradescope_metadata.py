"""Gradescope's `submission_metadata.yml`: who handed in each folder of an export, and when.

    submission_12345:
      :submitters:
      - :name: Ann Lee
        :sid: '1001'
        :email: ann@example.edu
      :created_at: 2026-02-01 14:03:07.123456000 Z
      :score: 40.0
      :history:
      - :id: 12340
        :created_at: ...

A reader of our own for this one layout: exports of a class have megabytes of test results in it, for which a reader of
all of YAML takes a minute, and a library only for this would be one more to install.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from palio_rules.errors import BadOption

_SPACE = " \t"  # of YAML; a name may begin or end with any other space
_LINE = re.compile(r"\r\n|\r|\n")
_TOP = re.compile(r"(?P<key>\"(?:[^\"\\]|\\.)*\"|'(?:[^']|'')*'|[^\s#:][^:]*):\s*$")
_FIELD = re.compile(r"(?P<indent> *)(?P<item>- )?:(?P<key>\w+):(?: +(?P<value>.*))?$")
_MOMENT = re.compile(
    r"(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}:\d{2})(?:\.(\d{1,6})\d*)?\s*(Z|UTC|[+-]\d{2}:?\d{2})?", re.ASCII
)


@dataclass(frozen=True, slots=True)
class Submitter:
    """A student as Gradescope knows it."""

    name: str = ""
    sid: str = ""
    email: str = ""


@dataclass(frozen=True, slots=True)
class Entry:
    """A folder of the export. `earlier` counts former submissions, whose files are not in it."""

    submitters: Sequence[Submitter]
    at: datetime | None
    earlier: int = 0


def read_metadata(text: str) -> Mapping[str, Entry]:
    """Return the entries by folder. Raises BadOption if the text has not this layout."""
    found: dict[str, Entry] = {}
    folder, lines = "", list[str]()
    for line in [*_LINE.split(text), "end:"]:
        top = _TOP.match(line)
        if line[:1] in (" ", "-") or (top is None and line.strip(_SPACE) in ("", "---", "...")) or line.startswith("#"):
            lines.append(line)
        elif top is None:
            raise BadOption(f"submission_metadata.yml: {line[:60]!r} is not Gradescope's layout; download it again")
        else:
            if folder:
                found[folder] = _entry(lines)
            folder, lines = _scalar(top["key"]), []
    if not found:
        raise BadOption("submission_metadata.yml names no submission; download the export again")
    return found


def _entry(lines: Sequence[str]) -> Entry:
    submitters: list[dict[str, str]] = []
    at: datetime | None = None
    earlier = 0
    section, depth = "", None
    for line in lines:
        field = _FIELD.match(line)
        if field is None:
            continue
        indent, value = len(field["indent"]), field["value"] or ""
        if depth is None:
            depth = indent
        if indent == depth and not field["item"]:
            section = field["key"]
            if section == "created_at":
                at = moment(_scalar(value))
        elif section == "submitters" and field["key"] in ("name", "sid", "email"):
            if field["item"] or not submitters:
                submitters.append({})
            submitters[-1][field["key"]] = _scalar(value)
        elif section == "history" and field["key"] == "id":
            earlier += 1
    return Entry(tuple(Submitter(**each) for each in submitters), at, earlier)


def moment(text: str) -> datetime | None:
    """Return a moment of YAML, in UTC if it names no zone; None for another text."""
    found = _MOMENT.fullmatch(text.strip())
    if found is None:
        return None
    day, time, fraction, zone = found.groups()
    offset = "+00:00" if zone in (None, "Z", "UTC") else zone
    try:
        return datetime.fromisoformat(f"{day}T{time}.{(fraction or '0').ljust(6, '0')}{offset}").astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def _scalar(text: str) -> str:
    text = text.strip(_SPACE)
    if text.startswith("'") and text.endswith("'") and len(text) > 1:
        return text[1:-1].replace("''", "'")
    if text.startswith('"') and text.endswith('"') and len(text) > 1:
        try:
            return str(json.loads(re.sub(r"\\x([0-9A-Fa-f]{2})", r"\\u00\1", text)))
        except ValueError:
            return text[1:-1]
    return "" if text in ("~", "null") else text
