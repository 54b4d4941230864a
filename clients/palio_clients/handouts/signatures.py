"""Which of a course's forms a student's function has, and what is said of one that has none of them."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from palio_clients.handouts.coursework import Unfit


class Form(NamedTuple):
    """How a term's course calls a function: by position, with arguments of these names."""

    term: str
    names: tuple[str, ...]

    def of(self, name: str) -> str:
        return f"{name}({', '.join(self.names)})"


def form_of(function: Callable[..., Any], forms: Sequence[Form], file: str) -> Form:
    """The form that `function` has: the one with its own names, or else the first that it can be called by.

    Raises Unfit, with the line of the function and the signatures that are wanted.
    """
    signature = inspect.signature(function)
    usable = [form for form in forms if _takes(signature, form)]
    if not usable:
        raise Unfit(misfit(function, forms, file))
    needed = {each.name for each in signature.parameters.values() if each.default is each.empty}
    return max(usable, key=lambda form: (needed == set(form.names), "is_black" in needed & set(form.names)))


def call(function: Callable[..., Any], form: Form, values: Mapping[str, object], file: str) -> Any:
    """What `function` returns, called as `form` says with the `values` of its names. Raises Unfit as `form_of`."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # something of C's
        return function(*(values[name] for name in form.names))
    if not _takes(signature, form):
        raise Unfit(misfit(function, [form], file))
    return function(*(values[name] for name in form.names))


def misfit(function: Callable[..., Any], forms: Sequence[Form], file: str) -> str:
    """A sentence about a function that takes other arguments than its course gives."""
    code = getattr(inspect.unwrap(function), "__code__", None)
    line = f", line {code.co_firstlineno}" if code is not None else ""
    name = getattr(function, "__name__", "it")
    wanted = ", or ".join(f"{form.of(name)}{f' of {form.term}' if form.term else ''}" for form in forms)
    return f"{file}{line}: {name}{inspect.signature(function)} takes other arguments than the handout gives: {wanted}"


def _takes(signature: inspect.Signature, form: Form) -> bool:
    try:
        signature.bind(*form.names)
    except TypeError:
        return False
    return True
