"""Similar submissions as one HTML file: for each pair both sources side by side, with the lines that are alike."""

from collections.abc import Mapping, Sequence
from html import escape

from palio_server.courses.inspection_tasks import Block, Pair

HINT = (
    "This is a hint, never a verdict: pairs that share more code than the handout gave, for people to read. "
    "Similar code may have one source that both were allowed to use."
)
HUES = (48, 190, 110, 280, 20, 230, 330, 80)  # of the blocks, in turn
STYLE = """
:root { color-scheme: light dark; font-family: system-ui, sans-serif; }
body { margin: 1rem; }
details { border-top: 1px solid #8886; padding: .5rem 0; }
summary { cursor: pointer; }
.both { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 28rem), 1fr)); gap: 1rem; }
pre { overflow-x: auto; margin: 0; font-size: .8rem; }
pre span { display: block; min-height: 1.2em; }
pre span::before { content: attr(data-line); display: inline-block; width: 3.5em; opacity: .6; }
"""


def similar_html(
    title: str, pairs: Sequence[Pair], names: Mapping[str, str], files: Mapping[str, Mapping[str, bytes]]
) -> str:
    """Return the page. `names` are those of the submissions' authors, `files` their files, both by submission."""
    body = [_pair(pair, names, files) for pair in pairs] or ["<p>No pair is similar.</p>"]
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        f'<meta name="viewport" content="width=device-width"><style>{STYLE}{_colours()}</style></head>\n'
        f"<body><h1>{escape(title)}</h1><p>{HINT}</p>\n{''.join(body)}</body></html>\n"
    )


def _colours() -> str:
    return "".join(f".b{number} {{ background: hsl({hue} 80% 50% / .28); }}" for number, hue in enumerate(HUES))


def _pair(pair: Pair, names: Mapping[str, str], files: Mapping[str, Mapping[str, bytes]]) -> str:
    one, two = names.get(pair.first, pair.first), names.get(pair.second, pair.second)
    head = f"{one} and {two}: {pair.shares[0]:.0%} and {pair.shares[1]:.0%} alike, {pair.tokens} tokens"
    sides = (_side(one, pair.first, files, pair.blocks, 0), _side(two, pair.second, files, pair.blocks, 1))
    return f'<details><summary>{escape(head)}</summary><div class="both">{"".join(sides)}</div></details>\n'


def _side(
    name: str, submission: str, files: Mapping[str, Mapping[str, bytes]], blocks: Sequence[Block], side: int
) -> str:
    marked = marks(blocks, side)
    shown = []
    for file, data in files[submission].items():
        lines = data.decode("utf-8", errors="replace").splitlines()
        cells = "".join(
            f'<span data-line="{number}"{_class(marked.get((file, number)))}>{escape(line)}</span>'
            for number, line in enumerate(lines, 1)
        )
        shown.append(f"<h3>{escape(file)}</h3><pre>{cells}</pre>")
    return f"<section><h2>{escape(name)}, submission {escape(submission)}</h2>{''.join(shown)}</section>"


def _class(block: int | None) -> str:
    return "" if block is None else f' class="b{block % len(HUES)}"'


def marks(blocks: Sequence[Block], side: int) -> dict[tuple[str, int], int]:
    """Return the number of the block of each marked line, by file and line; `side` 0 is the first submission."""
    found: dict[tuple[str, int], int] = {}
    for number, block in enumerate(blocks):
        file, (first, last) = (block.file, block.lines) if side == 0 else (block.other_file, block.other_lines)
        for line in range(first, last + 1):
            found.setdefault((file, line), number)
    return found
