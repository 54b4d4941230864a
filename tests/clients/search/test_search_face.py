"""What `palio_clients.search` offers says what it takes, gives and raises; and it needs the standard library only."""

import inspect
import re
import sys

import pytest

from palio_clients import search

FUNCTIONS = [name for name in search.__all__ if inspect.isfunction(getattr(search, name))]
CLASSES = [name for name in search.__all__ if inspect.isclass(getattr(search, name))]


def test_all_that_is_offered_is_a_function_or_a_class():
    assert sorted(FUNCTIONS + CLASSES) == sorted(search.__all__)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_says_what_it_returns_and_what_it_raises(name):
    function = getattr(search, name)
    doc = inspect.getdoc(function) or ""
    assert re.search(r"^Returns ", doc, re.MULTILINE), doc
    raised = set(re.findall(r"raise (\w+)", inspect.getsource(function)))
    assert raised <= set(re.findall(r"\w+", doc)), raised


@pytest.mark.parametrize("name", CLASSES)
def test_a_class_has_a_docstring_of_its_own(name):
    kind = getattr(search, name)
    doc = vars(kind)["__doc__"] or ""
    assert len(doc) > 40, doc
    assert not doc.startswith(f"{name}("), "a docstring that NamedTuple made says nothing"


@pytest.mark.parametrize("name", FUNCTIONS)
def test_an_algorithm_names_its_source(name):
    module = sys.modules[getattr(search, name).__module__]
    if not {"game_tree", "paranoid"} & {module.__name__.rpartition(".")[2]}:
        assert re.search(r"\((18|19|20)\d\d\)|Russell and Norvig", module.__doc__), module.__doc__


def test_it_needs_neither_numpy_nor_numba_nor_any_bot(loaded_by):
    code = (
        "import sys\n"
        "sys.modules.update(numpy=None, numba=None, websockets=None)\n"
        "sys.modules.update({'palio_clients.sdk': None, 'palio_clients.kernels': None})\n"
        "import importlib.util, types\n"
        "package = types.ModuleType('palio_clients')\n"
        "package.__path__ = importlib.util.find_spec('palio_clients').submodule_search_locations\n"
        "sys.modules['palio_clients'] = package\n"
        "import palio_clients.search"
    )
    assert loaded_by(code) <= {"palio_clients", "palio_rules", "msgspec", "numpy", "numba", "websockets"}
