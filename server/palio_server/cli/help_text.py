"""The help of commands, in which no line breaks inside a word, however narrow the screen is.

click breaks long words and words with hyphens, writes 50 columns at least, and leaves examples to the screen.
"""

import re
import shutil
from collections.abc import Iterable, Iterator
from textwrap import TextWrapper

import click

WIDEST = 80  # columns of text for reading; examples may be as wide as the screen
NARROWEST = 20  # columns
MARGIN = 2  # columns that stay free on the right
TEXT = 30  # columns that a description needs beside its option; with fewer it stands below
RAW = "\b"  # first line of a paragraph whose lines are kept, as in click


class HelpFormatter(click.HelpFormatter):
    """Writes help for a screen, whose width `COLUMNS` can set."""

    def __init__(self, indent_increment: int = 2, width: int | None = None, max_width: int | None = None) -> None:
        columns = shutil.get_terminal_size().columns
        if width is None:
            width = max(min(columns, max_width or WIDEST) - MARGIN, NARROWEST)
        super().__init__(indent_increment, width, max_width)
        self._screen = max(width, columns - MARGIN)  # for lines that are kept

    def write_usage(self, prog: str, args: str = "", prefix: str | None = None) -> None:
        """Write `Usage: PROG ARGS`; further lines begin below the first argument where there is room."""
        head = f"{prefix or 'Usage: '}{prog} "
        below = len(head) if self.width - len(head) >= TEXT else 4
        self._write(_lines(head + args, self.width, " " * self.current_indent, " " * below))

    def write_text(self, text: str) -> None:
        """Write paragraphs, divided by empty lines."""
        self._write(self._paragraphs(text, self.width, " " * self.current_indent))

    def write_dl(self, rows: Iterable[tuple[str, str]], col_max: int = 30, col_spacing: int = 2) -> None:
        """Write terms with descriptions beside them; on a narrow screen below them."""
        rows, margin = list(rows), " " * self.current_indent
        first = min(max((len(term) for term, _ in rows), default=0), col_max) + col_spacing
        beside = self.width - self.current_indent - first >= TEXT
        left = margin + " " * (first if beside else 4)
        for term, text in rows:
            lines = list(self._paragraphs(text, self.width, left))
            if beside and lines and len(term) + col_spacing <= first:
                lines[0] = f"{margin}{term:{first}}{lines[0][len(left) :]}"
            else:
                lines = [*_lines(term, self.width, margin, " " * 4), *lines]
            self._write(lines)

    def _write(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.write(f"{line.rstrip()}\n")

    def _paragraphs(self, text: str, width: int, indent: str) -> Iterator[str]:
        """Yield the lines of a text in so many columns, `indent` included."""
        for number, paragraph in enumerate(part for part in text.expandtabs().split("\n\n") if part.strip()):
            if number:
                yield ""
            lines = paragraph.strip("\n").split("\n")
            if lines[0].strip() == RAW:
                for line in lines[1:]:
                    yield from _kept(indent + line, self._screen)
            else:
                own = lines[0][: len(lines[0]) - len(lines[0].lstrip())]
                yield from _lines(" ".join(map(str.strip, lines)), width, indent + own)


def _lines(text: str, width: int, indent: str, more: str = "") -> list[str]:
    """Return text in lines of `width` columns, broken at blanks only; all but the first begin with `more`, too."""
    wrapper = TextWrapper(
        width,
        initial_indent=indent,
        subsequent_indent=indent + more,
        break_long_words=False,
        break_on_hyphens=False,
        replace_whitespace=False,
    )
    return wrapper.wrap(text)


_WORD = re.compile(r"""(?:'[^']*'|"[^"]*"|\S)+""")  # of a command line: blanks within quotes do not end it


def _kept(line: str, width: int) -> list[str]:
    """Return a line unchanged if it fits, else its parts. Those of a command can be copied: all but the last end in a
    backslash.
    """
    text = line.lstrip()
    indent = line[: len(line) - len(text)]
    if len(line) <= width:
        return [line]
    if not text.startswith("palio ") or "  " in text:  # no command, or a description follows
        return _lines(text, width, indent, " " * 4)
    parts = [indent]
    for word in _WORD.findall(text):
        if parts[-1].strip() and len(parts[-1]) + len(word) + 3 > width:  # " \\" follows
            parts.append(f"{indent}    ")
        parts[-1] += word if not parts[-1].strip() else f" {word}"
    return [*(f"{part} \\" for part in parts[:-1]), parts[-1]]


class HelpContext(click.Context):
    """The context of our commands."""

    formatter_class = HelpFormatter


def with_our_help(command: click.Command) -> click.Command:
    """Return the command, whose help and whose commands' help are written by HelpFormatter."""
    command.context_class = HelpContext
    for below in getattr(command, "commands", {}).values():
        with_our_help(below)
    return command
