"""A policy of whatever kind as one function: an observation and a mask go in, the number of an action comes out.

Three kinds are known, and looked for in this order:

- `act(observation, action_mask)`, which returns the action;
- `predict(observation, ...)` of Stable-Baselines3 and sb3-contrib, which returns the action and a state. It is given
  `action_masks` if it has such an argument, as that of MaskablePPO;
- anything that can be called as `policy(observation, action_mask)`.
"""

import inspect
from collections.abc import Callable
from typing import Any

from palio_clients.sdk.failures import BadBot

Decide = Callable[[Any, Any], Any]  # (observation, action mask) to an action, still as the policy has written it


def decides(value: object) -> bool:
    """Whether `value` has a method that decides, whatever calling it would do."""
    return callable(getattr(value, "act", None)) or callable(getattr(value, "predict", None))


def is_policy(value: object) -> bool:
    """Whether `value` can decide, or is a class whose instances can."""
    if decides(value):
        return True
    return "__call__" in vars(value) if isinstance(value, type) else callable(value)


def deciding(policy: Any) -> Decide:
    """What decides as `policy` does. Raises BadBot if it is no policy."""
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
