"""The line of each key: what `tomllib` reads, and where a generated text says it."""

import tomllib

from hypothesis import example, given
from hypothesis import strategies as st

from palio_server.courses.toml_lines import lines_of

keys = st.sampled_from(["a", "b-1", '"c d"', "'e.f'", '"]"', '"x=\\"#"', '"é"'])
scalars = st.sampled_from(
    (
        *("1", "-2.5", "true", "inf", "2027-02-01T09:00:00", "2027-02-01 09:00:00", "12:30:00"),
        *('""', '"]}#,"', "'\\'", '"a\\"b\\\\"'),
        *('"""\nx\n"y"" ]"""', "'''\n[[z]]\n''''", '"""\\"""\\\n  q""""'),
    )
)
blanks = st.sampled_from(["", " ", "\n", " # ] } \" '\n", "\n\n"])


@st.composite
def arrays(draw, values):
    parts = [f"{draw(blanks)}{draw(values)}{draw(blanks)}" for _ in range(draw(st.integers(0, 3)))]
    return f"[{','.join(parts)}{',' if parts and draw(st.booleans()) else ''}{draw(blanks)}]"


@st.composite
def inline_tables(draw, values):
    names = draw(st.lists(keys, max_size=3, unique=True))
    return "{" + ", ".join(f"{name} = {draw(values)}" for name in names) + "}"


values = st.recursive(scalars, lambda inner: arrays(inner) | inline_tables(inner), max_leaves=8)


@st.composite
def documents(draw):
    """Return lines of TOML, of which `tomllib` may still refuse some."""
    text = draw(blanks)
    text += "\n" if text and not text.endswith("\n") else ""
    for _ in range(draw(st.integers(0, 8))):
        dotted = ".".join(draw(st.lists(keys, min_size=1, max_size=3)))
        match draw(st.integers(0, 3)):
            case 0:
                text += f"[{dotted}]"
            case 1:
                text += f"[[ {dotted} ]]"
            case _:
                text += f" {dotted} = {draw(values)}"
        text += draw(st.sampled_from(["\n", "  # a = 1\n", "\n\n", "\r\n"]))
    return text


def paths(value, path=()):
    """Yield the paths of all values in tables and arrays."""
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in parts:
        yield (*path, key)
        yield from paths(part, (*path, key))


@example('[a]\nb = [ 1, # ]\n 2, { c = "]" } ]\n[[d]]\n[d.e]\nx = 1\n[[d]]\n[d.e]\nx = 2\n')
@given(documents())
def test_the_paths_are_those_of_tomllib(text):
    try:
        read = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return
    lines = lines_of(text)
    assert set(lines) == set(paths(read))
    assert all(1 <= line <= text.count("\n") + 1 for line in lines.values())


@given(st.lists(st.tuples(values, st.integers(0, 3)), max_size=8))
def test_a_key_is_on_the_line_where_it_was_written(pairs):
    text, written = "", {}
    for number, (value, empty) in enumerate(pairs):
        text += "\n" * empty
        written[f"key{number}"] = text.count("\n") + 1
        text += f"key{number} = {value}\n"
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return
    lines = lines_of(text)
    assert {key: lines[key,] for key in written} == written


def test_arrays_of_tables_are_numbered():
    lines = lines_of('title = "x"\n\n[[against]]\nbot = "random"\n[[against]]\nneed = 1\ngames = [\n1,\n2]\n')
    assert lines["against", 0, "bot"] == 4
    assert lines["against", 1] == 5
    assert lines["against", 1, "games", 1] == 9
