"""Who lacks a library reads which extra brings it."""

from palio_rules.lacking import needs


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
