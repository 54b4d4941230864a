"""`-openings file=BOOK format=epd order=random plies=4` as one value: `file=BOOK,order=random,plies=4`."""

from collections.abc import Mapping

from palio_rules.errors import BadOption, nearest

_POLICIES = ("default", "encounter")


def openings_value(found: Mapping[str, str]) -> str:
    """The value of `--openings`. Raises BadOption for what our books have not."""
    if "file" not in found:
        raise BadOption("--openings needs file=BOOK, or a number of random plies")
    match found.get("format", "epd"):
        case "pgn":
            raise BadOption("--openings format=pgn: a book has one opening a line here, as moves or as a position")
        case "epd":
            pass
        case other:
            raise BadOption(f"--openings format={other} is unknown; {nearest(other, ('epd',))}")
    if found.get("start", "1") != "1":
        raise BadOption(f"--openings start={found['start']}: a book is played from its first line; cut those before")
    if found.get("policy", "default") not in _POLICIES:
        raise BadOption(f"--openings policy={found['policy']}: every encounter has an opening of its own; leave it out")
    return ",".join(f"{key}={found[key]}" for key in ("file", "order", "plies") if key in found)
