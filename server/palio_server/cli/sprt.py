"""`palio sprt`: the test if one program is stronger than another, from counts of results."""

from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING, Literal

import click
import msgspec

from palio_rules.errors import BadOption, quoted
from palio_server.cli.completed_words import sprt_model
from palio_server.cli.options import json_option
from palio_server.cli.printing import say, say_heading, show_json, show_table

if TYPE_CHECKING:
    from palio_server.ratings.sample import Sample
    from palio_server.ratings.sprt import SequentialTest

EXAMPLES = """
\b
Examples:
  palio sprt --wdl 36433,68692,36027 --elo0 0 --elo1 2
  palio sprt --penta 127,4883,10712,5150,104 --elo0=-1.75 --elo1 0.25
  palio sprt --penta 76,744,1399,903,118
  palio sprt --wdl 1477,2942,1351 --elo0 0 --elo1 10 --alpha .01 --beta .01 --model bayesian --json
"""

SAID = {
    "continue": "undecided: play on",
    "H0": "H0 is accepted: no stronger than elo0",
    "H1": "H1 is accepted: at least as strong as elo1",
}


class SprtReport(msgspec.Struct, frozen=True):
    """The output of `--json`; an infinite figure is null."""

    llr: float | None  # null, with the bounds and the state, if none were given
    lower: float | None
    upper: float | None
    state: Literal["continue", "H0", "H1"] | None
    elo: float
    elo_error: float | None
    nelo: float
    nelo_error: float | None
    los: float


@dataclass(frozen=True, slots=True)
class Counts:
    """So many numbers in one word, as `10,5,3`."""

    names: tuple[str, ...]

    def read(self, option: str, text: str) -> tuple[int, ...]:
        """Return the counts. Raises BadOption, which quotes a text that is not a count."""
        words = [word.strip() for word in text.split(",")]
        if len(words) != len(self.names):
            raise BadOption(
                f"{option} takes {len(self.names)} counts: {','.join(self.names)}; got {len(words)} in {quoted(text)}"
            )
        for name, word in zip(self.names, words, strict=True):
            if not word.isascii() or not word.isdigit() or len(word) > 12:
                raise BadOption(f"{option}: {name} is a count of 0 or more, got {quoted(word)}")
        return tuple(map(int, words))


WDL = Counts(("W", "D", "L"))
PENTA = Counts(("N0", "N1", "N2", "N3", "N4"))


@click.command(epilog=EXAMPLES)
@click.option("--wdl", metavar="W,D,L", help="Games won, drawn and lost, in this order.")
@click.option("--penta", metavar="N0,...,N4", help="Pairs of games that scored 0, 1/2, 1, 1 1/2 and 2 points.")
@click.option("--elo0", type=float, metavar="A", help="H0: the difference is A Elo.")
@click.option("--elo1", type=float, metavar="B", help="H1: the difference is B Elo, more than A.")
@click.option("--alpha", type=float, default=0.05, show_default=True, help="Probability of accepting H1 under H0.")
@click.option("--beta", type=float, default=0.05, show_default=True, help="Probability of accepting H0 under H1.")
@click.option(
    "--model",
    default="normalized",
    show_default=True,
    metavar="MODEL",
    shell_complete=sprt_model,
    help="What A and B are: normalized, logistic, or bayesian (BayesElo; with --wdl only).",
)
@json_option
def sprt(
    *,
    wdl: str | None,
    penta: str | None,
    elo0: float | None,
    elo1: float | None,
    alpha: float,
    beta: float,
    model: Literal["normalized", "logistic", "bayesian"],
    as_json: bool,
) -> None:
    """Weigh results by a sequential probability ratio test: is it decided which of two programs is stronger?

    Give --wdl or --penta. A pair is two games from one opening, with colours changed. The ratio is that of fishtest.
    Without --elo0 and --elo1 nothing is tested: the difference in Elo is told, with its error.
    """
    from palio_server.ratings.sprt import SequentialTest

    if (elo0 is None) != (elo1 is None):
        raise BadOption("a test has two hypotheses: give --elo0 and --elo1, or neither")
    test = None if elo0 is None or elo1 is None else SequentialTest(elo0, elo1, alpha, beta, model)
    sample = read_sample(wdl, penta)
    report = report_of(test, sample)
    if as_json:
        show_json(report)
    else:
        show(test, sample, report)


def read_sample(wdl: str | None, penta: str | None) -> "Sample":
    """Return the results of `--wdl` or `--penta`. Raises BadOption unless exactly one is given."""
    from palio_server.ratings.sample import Sample

    if (wdl is None) == (penta is None):
        raise BadOption("give the results either by --wdl W,D,L or by --penta N0,N1,N2,N3,N4")
    if wdl is not None:
        return Sample.of_games(*WDL.read("--wdl", wdl))
    return Sample(PENTA.read("--penta", penta or ""))


def report_of(test: "SequentialTest | None", sample: "Sample") -> SprtReport:
    llr = None if test is None else test.llr(sample)
    return SprtReport(
        llr,
        None if test is None else test.lower,
        None if test is None else test.upper,
        None if test is None or llr is None else test.verdict(llr),
        sample.elo,
        _finite(sample.elo_error),
        sample.nelo,
        _finite(sample.nelo_error),
        sample.los,
    )


def show(test: "SequentialTest | None", sample: "Sample", report: SprtReport) -> None:
    """Print for people: the verdict first, if something is tested, then its basis."""
    from palio_server.tournament.score_lines import llr_line

    if test is not None and report.llr is not None and report.state is not None:
        say_heading(SAID[report.state], bold=True)
        say(f"{llr_line(test, report.llr)}, {test.model}, alpha {test.alpha:g}, beta {test.beta:g}")
        say()
    what = "0, 1/2, 1, 1 1/2, 2 points" if sample.paired else "lost, drawn, won"
    counts = ", ".join(f"{count:.0f}" for count in sample.counts)
    show_table(
        [
            ["figure", "value", "+/-"],
            ["Elo", _figure(report.elo), _error(report.elo_error)],
            ["normalised Elo", _figure(report.nelo), _error(report.nelo_error)],
            ["likelihood of superiority", f"{100 * report.los:.2f} %", ""],
            ["points a game", f"{sample.mean:.4f}", ""],
            ["games", f"{sample.games:.0f}", ""],
        ]
    )
    say(f"{'pairs' if sample.paired else 'games'} by result ({what}): {counts}")


def _figure(figure: float) -> str:
    return f"{round(figure, 2) + 0.0:.2f}"  # no -0.00


def _error(error: float | None) -> str:
    return "?" if error is None else f"{error:.2f}"


def _finite(figure: float) -> float | None:
    return figure if isfinite(figure) else None
