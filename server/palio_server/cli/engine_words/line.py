"""What has been read of a command line, and our words for all of it."""

from collections.abc import Callable
from dataclasses import dataclass, field
from math import factorial

from palio_rules.errors import BadOption
from palio_rules.registry import adopt
from palio_rules.registry import game as rules_of
from palio_server.cli.engine_words.engines import Engine, Pairs, time_of
from palio_server.cli.engine_words.games import encounters

HARMLESS_ALONE = ("tc", "st", "proto", "restart")  # what -each may say where no program is given by -engine


@dataclass(slots=True)
class Line:
    """Options are in our words already; what depends on other words waits for the end of the line."""

    words: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)  # sentences about what had no effect
    bots: list[str] = field(default_factory=list)  # the game, and bots that stand by themselves
    after: int = 0  # of `words`: where bots of -engine belong, behind the game
    engines: list[Pairs] = field(default_factory=list)
    each: list[tuple[str, str]] = field(default_factory=list)
    rounds: int | None = None  # of `words`: where their number is
    games: int | None = None
    repeat: int | None = None  # 0: one game for each order of the seats
    format: str | None = None
    seeds: int | None = None
    moves: int | None = None  # of all seats
    sprt: int | None = None  # of `words`: where the bounds of the test are
    pairs: bool = True  # whether the test counts pairs, or every game by itself

    def option(self, name: str, value: str) -> None:
        self.words += [f"--{name}", value]

    def set_rounds(self, value: str) -> None:
        self.option("rounds", value)
        self.rounds = len(self.words) - 1

    def bot(self, word: str) -> None:
        """The game, or a bot."""
        self.words.append(word)
        self.bots.append(word)
        if len(self.bots) == 1:
            self.after = len(self.words)

    def finished(self, is_file: Callable[[str], bool]) -> list[str]:
        """All words, with the bots of -engine behind the game. Raises BadOption for what does not fit together."""
        if self.engines and not self.bots:
            raise BadOption("name the game first, as in `palio run breakthrough -engine cmd=./a -engine cmd=./b`")
        engines = [Engine((*settings, *self.each)) for settings in self.engines]
        self._set_games(engines)
        self._set_format(engines)
        self._set_time(engines)
        if self.sprt is not None and not self.pairs:
            self.words[self.sprt] += " pentanomial=false"
        if self.moves:
            self.option("max-plies", str(self.moves * self._game()[0]))
        bots: list[str] = []
        for engine in engines:
            bots.append(engine.bot(is_file, bots))
        return [*self.words[: self.after], *bots, *self.words[self.after :]]

    def _set_games(self, engines: list[Engine]) -> None:
        """How many rounds, of how many games."""
        seats, race = self._game()
        orders = 1 if race else factorial(seats)
        repeat = orders if self.repeat == 0 else self.repeat
        if self.format == "knockout" and max(self.games or 1, repeat or 1) > orders:
            raise BadOption(
                f"an encounter has at most {orders} games here; --format knockout:best_of=N has more of them"
            )
        times, games = encounters(self.games, repeat, orders)
        if games is not None:
            self.option("games-per-encounter", str(games))
        elif engines and orders > 1:
            self.notes.append(f"a round is {orders} games, one in each order of the seats; -games 1 plays one")
        if times > 1:
            self._multiply_rounds(times)

    def _multiply_rounds(self, times: int) -> None:
        if self.rounds is None:
            self.set_rounds(str(times))
        elif (given := self.words[self.rounds]).isascii() and given.isdigit() and len(given) <= 9:
            self.words[self.rounds] = str(int(given) * times)

    def _set_format(self, engines: list[Engine]) -> None:
        if self.seeds is not None and self.format != "gauntlet":
            raise BadOption("-seeds is for -tournament gauntlet: how many challenge; elsewhere ratings seed the bots")
        if self.format is not None and (self.sprt is None or len(engines) != 2):  # a test of two has one form
            chosen = f":challengers={self.seeds}" if self.seeds and self.seeds > 1 else ""
            self.option("format", self.format + chosen)

    def _set_time(self, engines: list[Engine]) -> None:
        alone = [key for key, _ in self.each if key not in HARMLESS_ALONE]
        if not engines and alone:
            raise BadOption(f"-each {alone[0]}= needs bots that are given as -engine cmd=PROGRAM")
        for key in ("tc", "st"):
            time = time_of(engines or [Engine(self.each)], key)
            if time is not None:
                self.option(key, time)

    def _game(self) -> tuple[int, bool]:
        """How many seats the game has, and whether it is a race; where nobody can say, a duel."""
        try:
            rules = rules_of(adopt(self.bots[0]).name)
        except (IndexError, BadOption):
            return 2, False
        return len(rules.seats), rules.kind == "race"
