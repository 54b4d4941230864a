"""`palio new`: the first file of a bot or of a game, with its test."""

import json
import shlex
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from palio_clients.cli import Misuse
from palio_clients.cli.printing import say
from palio_rules.completing import game_spec as completed_game
from palio_rules.completing import one_of

if TYPE_CHECKING:
    from palio_clients.skeletons import Language

BOT_EXAMPLES = """
\b
Examples:
  palio new bot mine.py --game chexers
  palio new bot mine.rs --game breakthrough
  palio new bot mine --language go --game breakthrough:rows=8,cols=8
"""
GAME_EXAMPLES = """
\b
Example:
  palio new game mygame.py
"""
SHOWN = 60  # characters of an example in a comment
OPPONENTS = {"duel": "greedy", "table": "greedy random", "race": "greedy"}


def _languages() -> Iterable[str]:
    from palio_clients.skeletons import LANGUAGES  # noqa: PLC0415

    return LANGUAGES


class _Told(click.Command):
    """A command that is listed with its whole first sentence, which click would cut after 45 characters."""

    def get_short_help_str(self, limit: int = 200) -> str:
        return super().get_short_help_str(max(limit, 200))


@click.group()
def new() -> None:
    """Write the first file of a bot or of a game, with comments and a test that passes."""


@new.command(cls=_Told, epilog=BOT_EXAMPLES)
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--game", "game_spec", required=True, shell_complete=completed_game, help="The game that it plays.")
@click.option(
    "--language",
    shell_complete=one_of(_languages),
    help="python, js, rust, go, java or cpp; by default what FILE's suffix says.",
)
@click.option("--force", is_flag=True, help="Write over files that are there.")
def bot(*, file: Path, game_spec: str, language: str | None, force: bool) -> None:
    """Write FILE, a bot that plays a game at random, and its test beside it.

    In Python it is a class, in any other language a program that speaks JSON lines and needs no library.
    """
    from palio_clients import skeletons  # noqa: PLC0415  # `palio --help` starts without it
    from palio_rules.errors import BadOption  # noqa: PLC0415
    from palio_rules.registry import game_from_spec  # noqa: PLC0415

    try:
        chosen = skeletons.language_of(file, language)
        file = file if file.suffix else file.with_suffix(chosen.suffixes[0])
        stem = skeletons.check_stem(file)
        rules, options = game_from_spec(game_spec)
        test_file = _test_file(file, stem)
        words = _words(rules, options, game_spec, file, stem, chosen) | {"TEST": test_file.name}
    except BadOption as error:
        raise Misuse(str(error)) from error
    kinds = ["anytime" if rules.anytime else "listed"]
    test = "test_bot.py.txt" if chosen.name == "python" else "test_program.py.txt"
    texts = {file: skeletons.filled(chosen.template, words, kinds), test_file: skeletons.filled(test, words, kinds)}
    _write(texts, force=force)
    say(f"wrote {file}, which plays {rules.title} at random, and {test_file}")
    spec, to_build = f"./{file.name}", [words["BUILD_TEXT"]] if chosen.build else []
    if chosen.name != "python":
        spec = shlex.quote(f"exec:{words['RUN_TEXT']}")
    check = f"palio check-bot {spec}" + ("" if chosen.name == "python" else f" --game {words['GAME_WORD']}")
    run = f"palio run {words['SPEC']} {spec} {words['OPPONENTS']} --rounds 5"
    _next(file, [f"pytest {test_file.name}", *to_build, check, run])


@new.command(cls=_Told, epilog=GAME_EXAMPLES)
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--force", is_flag=True, help="Write over files that are there.")
def game(*, file: Path, force: bool) -> None:
    """Write FILE, a whole small game to change into your own, and its test beside it."""
    from palio_clients import skeletons  # noqa: PLC0415
    from palio_rules.errors import BadOption  # noqa: PLC0415

    if file.suffix not in ("", ".py"):
        raise Misuse(f"a game is written in Python; call it {file.stem}.py")
    try:
        file = file if file.suffix else file.with_suffix(".py")
        stem = skeletons.check_stem(file)
        name = _game_name(stem)
    except BadOption as error:
        raise Misuse(str(error)) from error
    title = " ".join(word.capitalize() for word in name.split("_"))
    test_file = _test_file(file, stem)
    words = {
        "FILE": file.name,
        "STEM": stem,
        "CLASS": skeletons.class_name_of(stem),
        "NAME": name,
        "TITLE": title,
        "TEST": test_file.name,
    }
    texts = {file: skeletons.filled("game.py.txt", words), test_file: skeletons.filled("test_game.py.txt", words)}
    _write(texts, force=force)
    say(f"wrote {file}, a game for two to change into yours, and {test_file}")
    spec = f"./{file.name}"
    _next(
        file,
        [
            f"pytest {test_file.name}",
            f"palio check-game {spec}",
            f"palio play {spec} greedy",
            f"palio run {spec} random greedy mcts --rounds 5",
        ],
    )


def _test_file(file: Path, stem: str) -> Path:
    """Return the file for the test: `test_mine.py`, but `test_mine_rs.py` if that tests `mine.py`."""
    usual = file.with_name(f"test_{stem}.py")
    try:
        tested = usual.read_text("utf-8")
    except (OSError, ValueError):
        return usual
    others = (other.name for other in file.parent.glob(f"{stem}.*") if other.name != file.name)
    if file.name not in tested and any(other in tested for other in others):
        return file.with_name(f"test_{stem}_{file.suffix[1:]}.py")
    return usual


def _game_name(stem: str) -> str:
    """Return the game's name. Raises BadOption for the name of an installed game."""
    from palio_rules.errors import BadOption  # noqa: PLC0415
    from palio_rules.registry import games  # noqa: PLC0415

    name = stem.lower()
    if name in games():
        raise BadOption(f"a game called {name!r} is installed already; call the file my_{name}.py")
    return name


def _words(rules: Any, options: Any, spec: str, file: Path, stem: str, language: "Language") -> dict[str, str]:
    """Return the words for the templates of bots."""
    from palio_clients.skeletons import class_name_of  # noqa: PLC0415

    state = rules.start(options, 1)
    moves = [rules.move_to_wire(move) for _, move in zip(range(2), state.legal_moves(), strict=False)]
    settings = {key: getattr(options, key) for key in options.__struct_fields__}
    changed = {key: value for key, value in settings.items() if value != getattr(rules.options_type(), key)}
    name = class_name_of(stem)
    build, run = (language.words(command, file.name, name) for command in (language.build, language.run))
    return {
        "FILE": file.name,
        "STEM": stem,
        "CLASS": name,
        "GAME_WORD": spec.partition(":")[0] if spec.partition(":")[0] == rules.name else spec,
        "GAME": rules.name,
        "SPEC": shlex.quote(spec),
        "TITLE": rules.title,
        "SEATS": ", ".join(f"{seat} {index}" for index, seat in enumerate(rules.seats)),
        "STATE": _short(rules.format_state(state)),
        "MOVE": _short(repr(next(iter(state.legal_moves()), None))),
        "MOVES": _short(", ".join(json.dumps(move) for move in moves)),
        "OPTIONS_JSON": _short(json.dumps(settings)),
        "OPTIONS": repr(changed),
        "OPPONENTS": OPPONENTS[rules.kind],
        "BUILD_TEXT": shlex.join(build),
        "RUN_TEXT": shlex.join(run),
        "BUILD": repr(build),
        "RUN": repr(run),
        "TOOLCHAIN": language.toolchain,
    }


def _short(text: str) -> str:
    """Return text for a comment: one line, without characters that could end the comment."""
    plain = " ".join(text.split()).replace("*/", "* /")
    return plain if len(plain) <= SHOWN else f"{plain[:SHOWN]}…"


def _write(texts: dict[Path, str], *, force: bool) -> None:
    """Write all files, or none."""
    there = [str(file) for file in texts if file.exists()]
    if there and not force:
        raise Misuse(
            f"{' and '.join(there)} {'is' if len(there) == 1 else 'are'} there already; --force writes over it"
        )
    for file, text in texts.items():
        try:
            file.write_text(text, "utf-8")
        except OSError as error:
            remedy = f"create the folder {file.parent} first" if not file.parent.exists() else "name another file"
            raise click.ClickException(f"{file} cannot be written: {error.strerror or error}; {remedy}") from error


def _next(file: Path, commands: list[str], echo: Callable[[str], None] = say) -> None:
    echo("next:")
    if file.parent != Path():
        echo(f"  cd {shlex.quote(str(file.parent))}")
    for command in commands:
        echo(f"  {command}")
