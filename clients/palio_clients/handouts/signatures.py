"""The form of a student's function among a course's forms, and the sentence about one that fits none.

`form_of` and `call` inspect a file's definitions after it has run; `text.py` reads the same before.
"""

import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from palio_clients.handouts.coursework import Unfit, name_of

INIT = "__init__"
OWN_NAMES = "keep the handout's own names"
_HERE = str(Path(__file__).parent)
_CELL = re.compile(r"(?P<path>.+)\[(?P<number>[0-9]+)\]")  # the name of a notebook's cell in tracebacks


class Form(NamedTuple):
    """A term's call of a function: by position, with arguments of these names."""

    term: str
    names: tuple[str, ...]

    def of(self, name: str, *, bound: bool = False) -> str:
        """Return the signature as its author writes it; `bound`: of a method, with its self."""
        return f"{name}({', '.join(['self', *self.names] if bound else self.names)})"


NOTHING = Form("", ())


def told(file: str, name: str, form: Form) -> str:
    """Return a sentence about the form that was found."""
    return f"{file} plays by {form.of(name)} of {form.term}"


def form_of(function: Callable[..., Any], forms: Sequence[Form], file: str) -> Form:
    """Return the form of `function`: the one with its own names, or else the first that can call it.

    Raises Unfit, with the line of the function and the expected signatures.
    """
    signatures = list(_signatures(function))
    for signature in reversed(signatures):  # the signature of a decorated function tells more, if it is right
        if (form := best(signature, forms)) is not None:
            return form
    if not signatures:  # a function in C
        return forms[0]
    raise Unfit(misfit(function, forms, file))


def call(function: Callable[..., Any], form: Form, values: Mapping[str, object], file: str) -> Any:
    """Call `function` as `form` says with the `values` of its names, and return the result.

    Raises Unfit if it takes other arguments. Only the call itself shows that, because a decorator may add some.
    """
    try:
        return function(*(values[name] for name in form.names))
    except TypeError as error:
        within = error.__traceback__ is not None and error.__traceback__.tb_next is not None
        bound = inspect.ismethod(function)  # one without any self has no signature of its own
        signature = next(_signatures(getattr(function, "__func__", function) if bound else function), None)
        if within or signature is None or takes(signature, form, bound=bound):
            raise
        raise Unfit(misfit(function, [form], file)) from None


def misfit(function: Callable[..., Any], forms: Sequence[Form], file: str) -> str:
    """Return a sentence about a function, method or class that takes other arguments than its course passes."""
    kind = function if isinstance(function, type) else None
    bound = kind is not None or inspect.ismethod(function)
    inner = kind.__init__ if kind is not None else getattr(function, "__func__", function)  # type: ignore[misc]
    code = getattr(inspect.unwrap(inner), "__code__", None)
    if kind is not None and code is None:
        return f"{file}: {wanting(kind.__name__, forms[0].of(INIT, bound=True))}"
    where = file if code is None else f"{_called(code.co_filename, file)}, line {code.co_firstlineno}"
    return unlike(where, f"{getattr(inner, '__name__', 'it')}{inspect.signature(inner)}", forms, inner, bound=bound)


def call_misfit(error: TypeError, signature: str) -> Unfit | None:
    """Return the error if a student's code has called a handout's function in another way than by `signature`.

    None if `error` comes from within that function.
    """
    place = error.__traceback__
    caller = None if place is None or place.tb_next is not None else place.tb_frame.f_back
    if caller is None:
        return None
    where = f"{_called(caller.f_code.co_filename, 'the file')}, line {caller.f_lineno}"
    return Unfit(f"{where} gives other arguments than the handout's {signature} takes ({error})")


def missing(file: str, wanted: str) -> str:
    """Return a sentence about a file without the class or function that its course asks for."""
    return f"{file} has no {wanted}; {OWN_NAMES}"


def wanting(name: str, wanted: str) -> str:
    return f"{name} has no {wanted}; {OWN_NAMES}"


def unlike(where: str, found: str, forms: Sequence[Form], named: Any, *, bound: bool) -> str:
    name = getattr(named, "__name__", "it") if not isinstance(named, str) else named
    each_of = [f"{form.of(name, bound=bound)}{f' of {form.term}' if form.term else ''}" for form in forms]
    return f"{where}: {found} takes other arguments than the handout gives: {', or '.join(each_of)}"


def _called(filename: str, file: str) -> str:
    """Return a function's file name for sentences: it may be another file beside the student's."""
    if filename.startswith((_HERE, "<")):
        return file
    if cell := _CELL.fullmatch(filename):
        return f"{name_of(Path(cell['path']))}, cell {cell['number']}"
    return name_of(Path(filename))


def _signatures(function: Callable[..., Any]) -> Iterator[inspect.Signature]:
    """Yield its own signature and, if a decorator has kept it, that of the decorated function."""
    for follow in (False, True):
        with suppress(TypeError, ValueError):  # a function in C
            yield inspect.signature(function, follow_wrapped=follow)


def best(signature: inspect.Signature, forms: Iterable[Form]) -> Form | None:
    needed = {each.name for each in signature.parameters.values() if each.default is each.empty}
    usable = [form for form in forms if takes(signature, form)]
    return max(
        usable, key=lambda form: (needed == set(form.names), "is_black" in needed & set(form.names)), default=None
    )


def takes(signature: inspect.Signature, form: Form, *, bound: bool = False) -> bool:
    try:
        signature.bind(*(["self"] if bound else []), *form.names)
    except TypeError:
        return False
    return True
