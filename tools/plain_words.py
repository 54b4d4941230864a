"""Check that docstrings, comments and docs pages use plain words.

Two things count as a finding: a phrase of `plain_words.toml`, and a docstring that begins with a relative clause
("What the server holds") where a noun or an imperative would do. `plain_words_allowance.toml` says how many findings
each file may have. A file with more is an error; so is a file with fewer, until its allowance is lowered.

    python tools/plain_words.py            # names each finding above the allowance, ends with 1 if there is one
    python tools/plain_words.py --update   # lowers the allowance to what is left; raises no number

The key of a file that has moved is changed by hand.
"""

import argparse
import ast
import io
import re
import sys
import tokenize
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
PHRASES = ROOT / "tools" / "plain_words.toml"
ALLOWANCE = ROOT / "tools" / "plain_words_allowance.toml"
OTHERS = {"vendor", "node_modules"}  # folders of files that others have written
CLAUSE = re.compile(r"(?:What|Where|Whether|How|Who|Whom|Whose|Which|That|Why)\b", re.ASCII)
CLAUSE_ADVICE = "begin with a noun (class, module) or an imperative (function)"
FENCE = re.compile(r" *(?:```|~~~)")
HEADER = (
    "# Findings of tools/plain_words.py that each file may still have. Numbers only shrink: run it with --update.\n"
)
Documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


class Phrase(NamedTuple):
    pattern: re.Pattern[str]
    advice: str


class Finding(NamedTuple):
    line: int
    text: str
    advice: str


def phrases(file: Path = PHRASES) -> list[Phrase]:
    """Return the phrases to look for."""
    rows = tomllib.loads(file.read_text("utf-8"))["phrase"]
    return [Phrase(re.compile(rf"\b(?:{row['find']})(?!\w)", re.IGNORECASE), row["write"]) for row in rows]


def in_python(source: str, words: Sequence[Phrase]) -> list[Finding]:
    """Return the findings in the docstrings and comments of a Python file, by line."""
    texts = [*_comments(source), *_strings(source)]
    found = [finding for line, text in texts for finding in _in_text(text, line, words)]
    return sorted({*found, *_clauses(source)})


def in_markdown(source: str, words: Sequence[Phrase]) -> list[Finding]:
    """Return the findings in a docs page, by line; code, in a fence or in backticks, is not looked at."""
    lines, fenced = [], False
    for line in source.splitlines():
        fence = FENCE.match(line) is not None
        lines.append("" if fenced or fence else re.sub(r"`[^`]*`", lambda code: "`" * len(code[0]), line))
        fenced ^= fence
    return sorted(set(_in_text("\n".join(lines), 1, words)))


def findings(root: Path, words: Sequence[Phrase]) -> dict[str, list[Finding]]:
    """Return the findings of each Python file and docs page below `root`, by path; files without one are left out."""
    found = {}
    for path in sorted([*root.rglob("*.py"), *root.rglob("*.md")]):
        parts = path.relative_to(root).parts
        if OTHERS.intersection(parts) or parts[-1] == "CHANGELOG.md" or any(_is_hidden(part) for part in parts[:-1]):
            continue
        read = in_python if path.suffix == ".py" else in_markdown
        if hits := read(path.read_text("utf-8"), words):
            found["/".join(parts)] = hits
    return found


def complaints(found: Mapping[str, Sequence[Finding]], allowed: Mapping[str, int], root: Path) -> list[str]:
    """Return a line for each finding above the allowance, and one for each allowance that is too high."""
    lines = []
    for name, hits in found.items():
        if len(hits) > allowed.get(name, 0):
            lines.append(f"{name}: {len(hits)} findings, {allowed.get(name, 0)} allowed")
            lines += [f'{name}:{hit.line}: "{hit.text}"; write: {hit.advice}' for hit in hits]
    for name, count in allowed.items():
        if not (root / name).is_file():
            lines.append(f"{name}: does not exist; run --update to drop it, or rename its allowance")
        elif len(found.get(name, ())) < count:
            lines.append(f"{name}: {len(found.get(name, ()))} findings, {count} allowed; run --update to lower it")
    return lines


def lowered(found: Mapping[str, Sequence[Finding]], allowed: Mapping[str, int]) -> dict[str, int]:
    """Return the allowance without what is no longer needed; no number is raised."""
    counts = {name: min(count, len(found.get(name, ()))) for name, count in allowed.items()}
    return {name: count for name, count in counts.items() if count}


def allowance(file: Path = ALLOWANCE) -> dict[str, int]:
    return tomllib.loads(file.read_text("utf-8"))


def written(counts: Mapping[str, int]) -> str:
    """Return the text of an allowance file, a line for each file."""
    return HEADER + "".join(f'"{name}" = {count}\n' for name, count in sorted(counts.items()))


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="check that docstrings, comments and docs use plain words")
    parser.add_argument("--update", action="store_true", help="lower the allowance to what is left")
    update = parser.parse_args(arguments).update
    found, allowed = findings(ROOT, phrases()), allowance()
    if update:
        allowed = lowered(found, allowed)
        ALLOWANCE.write_text(written(allowed), "utf-8")
    lines = complaints(found, allowed, ROOT)
    print(
        "\n".join([*lines, f"plain words: {sum(map(len, found.values()))} findings, {sum(allowed.values())} allowed"])
    )
    return 1 if lines else 0


def _in_text(text: str, line: int, words: Sequence[Phrase]) -> Iterator[Finding]:
    """Yield the phrases in a text that begins at a line; a line break counts as a space."""
    for phrase in words:
        for hit in phrase.pattern.finditer(text.replace("\n", " ")):
            yield Finding(line + text.count("\n", 0, hit.start()), hit[0], phrase.advice)


def _comments(source: str) -> Iterator[tuple[int, str]]:
    """Yield line and text of each comment; comments of whole lines that follow each other are one text."""
    block: list[str] = []
    begin = 0
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type != tokenize.COMMENT:
            continue
        text, line = token.string.lstrip("#: "), token.start[0]
        whole = not token.line[: token.start[1]].strip()
        if block and whole and line == begin + len(block):
            block.append(text)
            continue
        if block:
            yield begin, "\n".join(block)
        block, begin = [text], line
    if block:
        yield begin, "\n".join(block)


def _strings(source: str) -> Iterator[tuple[int, str]]:
    """Yield line and text of each string that stands alone as a statement: docstrings, and texts below attributes."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Expr(value=ast.Constant(value=str(text)), lineno=line):
                yield line, re.sub(r"\n *", "\n", text)


def _clauses(source: str) -> Iterator[Finding]:
    """Yield the docstrings that begin with a relative clause."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, Documented) and (text := ast.get_docstring(node)) and (hit := CLAUSE.match(text)):
            yield Finding(node.body[0].lineno, f"{hit[0]} ...", CLAUSE_ADVICE)


def _is_hidden(part: str) -> bool:
    return part.startswith(".") and part != ".github"


if __name__ == "__main__":
    sys.exit(main())
