"""A bot that plays what a policy decides, one match an instance."""

import inspect
import sys
from collections.abc import Callable
from math import prod
from pathlib import Path
from typing import Any

from palio_clients.sdk.bot import Bot
from palio_clients.sdk.clock import Clock
from palio_clients.sdk.failures import BadBot, PlayerFailed, Resign, traceback_text
from palio_rules.errors import BadOption, Rejection
from palio_rules.game import Game

# A policy of any kind as one function: an observation and a mask go in, the number of an action comes out.
#
# Three kinds are known, and looked for in this order:
#
# - `act(observation, action_mask)`, which returns the action;
# - `predict(observation, ...)` of Stable-Baselines3 and sb3-contrib, which returns the action and a state. It is given
#   `action_masks` if it has such an argument, as that of MaskablePPO;
# - anything that can be called as `policy(observation, action_mask)`.

Decide = Callable[[Any, Any], Any]  # (observation, action mask) to an action, still as the policy has written it


def decides(value: object) -> bool:
    """Return whether `value` has a method that decides; it is not called."""
    return callable(getattr(value, "act", None)) or callable(getattr(value, "predict", None))


def is_policy(value: object) -> bool:
    """Return whether `value` can decide, or is a class whose instances can."""
    if decides(value):
        return True
    return "__call__" in vars(value) if isinstance(value, type) else callable(value)


def deciding(policy: Any) -> Decide:
    """Return a function that decides as `policy` does. Raises BadBot if it is no policy."""
    if callable(act := getattr(policy, "act", None)):
        decide: Decide = act
        return decide
    if callable(getattr(policy, "predict", None)):
        return Predicting(policy)
    if callable(policy):
        called: Decide = policy
        return called
    raise BadBot(f"{type(policy).__name__} is no policy; give it a method act(self, observation, action_mask)")


class Predicting:
    """Asks a model with Stable-Baselines3's `predict`; what is recurrent in it goes on from turn to turn."""

    def __init__(self, model: Any) -> None:
        self._model = model
        try:
            known = inspect.signature(model.predict).parameters
        except (TypeError, ValueError):  # it is compiled, and does not say
            known = inspect.signature(lambda observation: observation).parameters
        anything = any(each.kind is each.VAR_KEYWORD for each in known.values())
        self._masked = "action_masks" in known or anything
        self._recurrent = "state" in known
        parts = getattr(getattr(model, "observation_space", None), "spaces", None)
        self._by_name = isinstance(parts, dict) and "observation" in parts  # it was trained on the whole dictionary
        self._state: Any = None

    def __call__(self, observation: Any, action_mask: Any) -> Any:
        seen = {"observation": observation, "action_mask": action_mask} if self._by_name else observation
        words: dict[str, Any] = {"action_masks": action_mask.astype(bool)} if self._masked else {}
        if self._recurrent and self._state is not None:
            words["state"] = self._state
        answer = self._model.predict(seen, **words)
        if not isinstance(answer, tuple):
            return answer
        action, self._state = answer if len(answer) == 2 else (answer[0], None)
        return action


def trained_on(policy: Any) -> tuple[int, ...] | None:
    """The shape of the observations that a model of Stable-Baselines3 was trained on, if it says so."""
    space = getattr(policy, "observation_space", None)
    parts = getattr(space, "spaces", None)
    shape = getattr(parts.get("observation") if isinstance(parts, dict) else space, "shape", None)
    return tuple(shape) if shape else None


_OURS = (str(Path(__file__).parent),)
TRIES = 10  # solutions of an anytime race that are made, without a better one, before there are no more to give


class PolicyBot(Bot):
    """Shows a policy the positions, and plays the moves that its actions are.

    An action that is no number, out of range, or no move gives the match up, with the reason. One that is a
    move, but not a legal one, is sent: the referee rejects it, and it costs a strike like any other bot's.
    """

    def __init__(self, make: Callable[[], Any]) -> None:
        """`make` makes the policy, which plays this match only."""
        self._policy = make()
        try:
            self._decide = deciding(self._policy)
        except BadBot as error:
            raise PlayerFailed(str(error)) from None
        self._encoding: Any = None
        self._flat = False  # whether the policy was trained on all planes in a row

    def prepare(self, game: Game[Any, Any], options: Any, seat: int) -> None:
        from palio_rules.addons.encodings import encoding_of  # noqa: PLC0415  # numpy is loaded where a policy plays only

        try:
            self._encoding = encoding_of(game, options)
        except (BadOption, ImportError) as error:
            raise PlayerFailed(str(error)) from None
        shape = trained_on(self._policy)
        self._flat = shape == (prod(self._encoding.shape),) != self._encoding.shape
        if shape is not None and shape != self._encoding.shape and not self._flat:
            raise PlayerFailed(
                f"the policy was trained on observations of {shape}, those of {game.name} under these options are "
                f"{self._encoding.shape}; train it on env({game.name!r}) with the same options"
            )

    def choose(self, state: Any, clock: Clock) -> Any:
        if not self.game.anytime:
            return self._move(state)
        best = self.game.cost(state)
        for _ in range(TRIES):
            move = self._move(state)
            try:
                cost = self.game.cost(state.play(move))
            except Exception:  # noqa: BLE001  # it is no solution: the referee says why
                return move
            if best is None or (cost is not None and cost < best):
                return move
            if clock.expired():
                break
        raise Resign  # what has been submitted counts

    def _move(self, state: Any) -> Any:
        """The move that the policy decides on, in as many actions as it takes."""
        node = self._encoding.root(state)
        while True:
            part = self._action(node)
            whole = self._encoding.whole(node, part)
            if whole is not None:
                return whole
            node = node.play(part)

    def _action(self, node: Any) -> Any:
        """One move, or part of one. Raises PlayerFailed where the policy's answer is none."""
        encoding = self._encoding
        seen = encoding.observe(node, self.seat)
        try:
            answer = self._decide(seen.ravel() if self._flat else seen, encoding.mask(node))
        except (PlayerFailed, Resign):
            raise
        except Exception as error:
            raise PlayerFailed(traceback_text(error, _OURS)) from error
        try:
            action = encoding.number(answer)
            move = encoding.move(node, action)
        except ValueError as error:
            raise PlayerFailed(f"the policy decided on {_told(answer)}: {error}") from None
        try:
            node.check(move)
        except Rejection as error:
            print(  # noqa: T201  # its author reads it
                f"the policy decided on action {action}, whose mask is 0: {error}", file=sys.stderr, flush=True
            )
            if encoding.in_parts:  # no referee sees a part of a move
                raise PlayerFailed(f"the policy decided on {_told(answer)}: {error}") from None
        return move


def _told(answer: object) -> str:
    return f"{answer!r:.80}"
