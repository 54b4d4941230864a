"""The bot that asks a language model for its moves.

A move begins a new conversation: rules, position and legal moves. What was wrong with an answer is the next message in
it: that no move was found, or what the referee has said of an illegal one, word by word.
"""

import asyncio
import random
from collections.abc import Callable
from itertools import islice
from typing import Any

from palio_clients.addons.llm.answer import find_move, spoken
from palio_clients.addons.llm.http import EndpointFailed, NoMove, Passing
from palio_clients.addons.llm.model import Model, Usage, remark
from palio_clients.addons.llm.template import Template
from palio_clients.sdk.bot import Bot
from palio_clients.sdk.clock import Clock
from palio_clients.sdk.failures import PlayerFailed, Resign
from palio_rules.errors import Rejection
from palio_rules.game import Game, Options

# The moves of a match in notation, as far as a bot knows them: after a crash it knows those since it came back.


class History:
    """Follows a match from position to position; what does not fit is forgotten, and it begins again."""

    def __init__(self, game: Game[Any, Any], setup: Any | None) -> None:
        self.moves: list[tuple[int, str]] = []  # seat and notation
        self._game = game
        self._at = setup
        self._ours: Any = None  # our last move, until it is known whether it was played
        self._others: list[tuple[int, Any]] = []

    def we_played(self, move: Any) -> None:
        self._ours = move

    def other_played(self, seat: int, move: Any) -> None:
        self._others.append((seat, move))

    def reach(self, state: Any) -> bool:
        """It is our turn in `state`. False if it was so already: our last move was not played."""
        ours, others = self._ours, self._others
        self._ours, self._others = None, []
        if self._at == state and not others and self.moves_on(state):
            return False
        found, at = [], self._at
        try:
            if at is not None:
                seats = [] if ours is None else [(at.to_move, ours)]
                for seat, move in [*seats, *others]:
                    if at.to_move != seat:
                        raise ValueError("another seat has left")  # noqa: TRY301
                    found.append((seat, self._note(at, move)))
                    at = at.play(move)
        except (ValueError, KeyError, IndexError, TypeError):
            at = None
        self.moves = [*self.moves, *found] if at == state else []
        self._at = state
        return True

    def moves_on(self, state: Any) -> bool:
        """Return whether the game tells positions apart: in an anytime race a worse tour changes nothing."""
        return not self._game.anytime

    def _note(self, at: Any, move: Any) -> str:
        if not self._game.anytime:
            return self._game.notation(at, move)
        cost = self._game.cost(at.play(move))
        return f"{cost:g}" if cost is not None else "none"


# A position in words, for the placeholders of a template. Each part has a bound, so that no game asks for a book.
#
# What other people have written, such as names of bots, is left out, so that only its owner talks to a model.

MAX_RULES = 8_000  # characters
MAX_BOARD = 6_000
MAX_POSITION = 24_000  # a tour of 2,000 cities
MAX_MOVES = 300  # that are listed
MAX_MOVES_TEXT = 8_000
MAX_HISTORY = 120  # plies, the newest


def placeholder_values(
    game: Game[Any, Any], state: Any, seat: int, history: list[tuple[int, str]], clock: Clock
) -> dict[str, str]:
    """A text for each of `template.PLACEHOLDERS`. `history` has the seat and the notation of each move."""
    return {
        "title": game.title,
        "rules": cut(game.about().strip(), MAX_RULES),
        "seat": game.seats[seat],
        "seats": ", ".join(game.seats),
        "board": cut(game.render(state), MAX_BOARD),
        "position": cut(game.format_state(state), MAX_POSITION),
        "history": _history(game, history),
        "moves": moves(game, state),
        "clock": _clock(clock),
        "answer": answer(game, state),
    }


def moves(game: Game[Any, Any], state: Any) -> str:
    """The legal moves in notation; of a game with too many, what they look like."""
    listed = [game.notation(state, move) for move in islice(state.legal_moves(), MAX_MOVES + 1)]
    if game.anytime:
        return f"too many to list; this is one of them: {cut(' '.join(listed[:1]), MAX_MOVES_TEXT)}"
    text, more = " ".join(listed[:MAX_MOVES]), len(listed) > MAX_MOVES
    if len(text) > MAX_MOVES_TEXT:
        text, more = text[:MAX_MOVES_TEXT].rsplit(" ", 1)[0], True
    return f"{text} (and more, which the rules allow)" if more else text


def answer(game: Game[Any, Any], state: Any) -> str:
    """Return the sentence on how to answer, with a legal example."""
    example = next((game.notation(state, move) for move in state.legal_moves()), "...")
    if game.anytime:
        return (
            "A move is a whole solution, written like the one above. End your answer with one line that begins with "
            "MOVE: and has the solution behind it."
        )
    return (
        "Choose one of the legal moves. End your answer with one line that has the move exactly as it is listed, for "
        f"example:\nMOVE: {cut(example, 200)}"
    )


def _history(game: Game[Any, Any], history: list[tuple[int, str]]) -> str:
    if not history:
        return "none"
    newest = history[-MAX_HISTORY:]
    earlier = f"({len(history) - len(newest)} earlier ones) " if len(newest) < len(history) else ""
    if len(game.seats) == 1:
        return earlier + " ".join(cut(move, 80) for _, move in newest)
    return earlier + " ".join(f"{game.seats[seat]}:{move}" for seat, move in newest)


def _clock(clock: Clock) -> str:
    if clock.remaining_ms is None and clock.limit_ms is None:
        return "no limit"
    move = "" if clock.limit_ms is None else f"{clock.limit_ms / 1000:.0f} s for this move"
    rest = "" if clock.remaining_ms is None else f"{clock.remaining_ms / 1000:.0f} s for the rest of the game"
    return ", ".join(filter(None, (move, rest)))


def cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most]} (cut)"


RESERVE_S = 0.5  # of the clock, or a tenth where that is less: the way to the server, and the move that is made instead
SHARE = 0.5  # of the clock for the rest of the game that one move may use, where a slow answer costs only this move
MAX_ANSWER = 4_000  # characters of a former answer that the model is shown again
MAX_EXCHANGES = 6  # answers, and what was wrong with them, that a conversation has at most
MAX_TEXT = 256  # characters that viewers are told, as `Info.text` has


class LlmBot(Bot[Any, Any]):
    """Plays one match by what a model answers."""

    def __init__(self, make: Callable[[], Model], template_of: Callable[[str], Template]) -> None:
        self._model = make()
        self._settings = self._model.settings
        self._template_of = template_of
        self._random = random.Random(self._settings.seed)  # noqa: S311  # games, not secrets
        self._begun: list[dict[str, str]] = []  # how this turn's conversation begins
        self._exchanges: list[tuple[str, str]] = []  # answers in it, and what was said of them
        self._answer = ""  # the last one
        self._unreadable = 0  # answers for this move that said none
        self._submitted = 0  # solutions of an anytime race,
        self._cost: float | None = None  # and what the best one cost when it was last asked for a better one

    def prepare(self, game: Game[Any, Any], options: Options, seat: int) -> None:
        self._template = self._template_of(game.name)
        try:
            setup = game.parse_state(self.setup) if self.setup else None
        except ValueError:
            setup = None
        self._history = History(game, setup)

    def opponent_moved(self, seat: int, move: Any) -> None:
        self._history.other_played(seat, move)

    def move_rejected(self, move: Any, code: str, reason: str) -> None:
        left = self.strikes_left
        warning = "one more loses the game" if left == 1 else f"{left} more lose the game"
        self._object(
            f"The referee rejects your move: {reason}. The position is unchanged; {warning}. Play another move."
        )

    async def choose(self, state: Any, clock: Clock) -> Any:
        if self._history.reach(state) or not self._begun:
            self._begin(state, clock)
        within = self._time(clock)
        try:
            async with asyncio.timeout(within):
                move = await self._find(state)
        except TimeoutError:
            move = self._instead(state, f"the model has not answered within {within:.1f} s")
        except (Passing, NoMove) as error:
            move = self._instead(state, str(error))
        except EndpointFailed as error:
            remark(str(error))
            raise PlayerFailed(str(error)) from None
        self._history.we_played(move)
        return move

    # --- one move -----------------------------------------------------------------------------------------------------

    def _begin(self, state: Any, clock: Clock) -> None:
        """A new position: what was said of the last one is over, and its cost has been told."""
        values = placeholder_values(self.game, state, self.seat, self._history.moves, clock)
        self._begun = self._template.filled(values)
        self._exchanges, self._answer, self._unreadable = [], "", 0
        self._model.usage = Usage()

    async def _find(self, state: Any) -> Any:
        if self.game.anytime and (self._submitted >= self._settings.solutions or self._gets_no_better(state)):
            raise Resign("it has no better solution")
        while True:
            reply = await self._model.ask(self._messages())
            self._answer = reply.text
            try:
                move = find_move(reply.text, self.game, state, self._settings.think)
                self._check(state, move)
            except (NoMove, Rejection) as error:
                self._unreadable += 1
                cut = " (it was cut off at max_tokens)" if reply.cut else ""
                if self._unreadable > self._settings.retries:
                    tries = f"after {self._unreadable} answers" if self._unreadable > 1 else "after one answer"
                    raise NoMove(f"no move {tries}: {error}{cut}") from None
                self._object(f"That cannot be played: {error}{cut}. Answer again.")
            else:
                self._submitted += 1
                self._tell(_own_words(reply.text))
                return move

    def _check(self, state: Any, move: Any) -> None:
        """Raise Rejection where an illegal move shall not come before the referee, or would be the last one."""
        last = self.strikes_left <= 1 and self._settings.give_up == "random"
        if self._settings.check == "local" or last:
            state.check(move)

    def _gets_no_better(self, state: Any) -> bool:
        """Return whether the last solution was no better than the one before it."""
        cost = self.game.cost(state)
        last, self._cost = self._cost, cost
        return self._submitted > 0 and last is not None and cost is not None and cost >= last

    def _instead(self, state: Any, reason: str) -> Any:
        """Return the move that is played when the model has given none. Raises Resign."""
        solved = self.game.anytime and self.game.cost(state) is not None
        remark(f"{self._settings.model}: {reason}")
        if self._settings.give_up == "resign" or solved:
            raise Resign(reason)
        self._tell(f"a random move: {reason}")
        self._submitted += 1
        return self._random.choice(list(islice(state.legal_moves(), MAX_MOVES)))

    def _time(self, clock: Clock) -> float | None:
        """Seconds for this move."""
        if clock.limit_ms is None:
            return None
        left = clock.seconds()
        reserve = min(RESERVE_S, left / 10)
        most = left - reserve
        if self._settings.give_up == "random" and clock.remaining_ms is not None and not self.game.anytime:
            most = min(most, (clock.remaining_ms * SHARE + clock.increment_ms) / 1000)
        return max(0.0, most)

    # --- the conversation ---------------------------------------------------------------------------------------------

    def _object(self, sentence: str) -> None:
        """Say what was wrong with the last answer."""
        self._exchanges.append((self._answer[-MAX_ANSWER:] or "(nothing)", sentence))
        del self._exchanges[:-MAX_EXCHANGES]

    def _messages(self) -> list[dict[str, str]]:
        found = list(self._begun)
        for answer, sentence in self._exchanges:
            found += [{"role": "assistant", "content": answer}, {"role": "user", "content": sentence}]
        return found

    def _tell(self, text: str) -> None:
        """Tell the viewers what this move has cost so far, and what the model says of it."""
        usage = self._model.usage
        counted = usage.counted
        self.tell(
            text=text[:MAX_TEXT] or None,
            tokens_in=usage.tokens_in if counted else None,
            tokens_out=usage.tokens_out if counted else None,
            cost=self._settings.cost(usage.tokens_in, usage.tokens_out) if counted else None,
            latency_ms=usage.ms,
        )


def _own_words(text: str) -> str:
    """Return the end of what a model says before its move, in one line, for viewers."""
    lines = [line.strip(" *_`#") for line in spoken(text).splitlines()]
    words = " ".join(line for line in lines if line and not line.lower().startswith("move:"))
    words = " ".join("".join(each if each.isprintable() else " " for each in words).split())
    return words if len(words) <= MAX_TEXT else f"…{words[1 - MAX_TEXT :]}"
