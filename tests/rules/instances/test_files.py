"""Files with instances: TSPLIB's and lists of distances are read, and what is wrong is reported with file and line."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palio_rules.errors import BadInstance, BadOption
from palio_rules.instances.files import READERS, InstanceFile, read_file
from palio_rules.instances.source import MAX_BYTES, Source
from palio_rules.instances.tsp import read_distances, read_tsp
from palio_rules.registry import game

SQUARE = """\
NAME : square4
COMMENT: four corners
COMMENT: and nothing else
TYPE : TSP
DIMENSION: 4
EDGE_WEIGHT_TYPE : EUC_2D
NODE_COORD_SECTION
1 0 0
2 0.0 10.0
 3  1.00000e+01 1.00000e+01
4 10.5 0
EOF

"""
CITIES = [[0, 0], [0, 10], [10, 10], [10.5, 0]]


def test_a_tsplib_file_is_read_with_either_way_to_write_headers():
    assert read_tsp(Source("square4.tsp", SQUARE)) == {"cities": CITIES}
    assert read_tsp(Source("square4.tsp", SQUARE.replace("EOF\n", ""))) == {"cities": CITIES}
    assert read_tsp(Source("square4.tsp", SQUARE.replace(" :", ":").replace("SECTION", "SECTION:"))) == {
        "cities": CITIES
    }


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("TYPE : TSP", "TYPE : ATSP", "x.tsp:4: TYPE is TSP here, got 'ATSP'"),
        ("EUC_2D", "GEO", "x.tsp:6: EDGE_WEIGHT_TYPE is EUC_2D here, got 'GEO'"),
        ("DIMENSION: 4", "DIMENSION: four", "x.tsp:5: DIMENSION is 3 to 2000 here, got 'four'"),
        ("DIMENSION: 4", "DIMENSION: 2001", "x.tsp:5: DIMENSION is 3 to 2000 here, got '2001'"),
        ("DIMENSION: 4", "DIMENSION: 5", "x.tsp:12: city 5 is missing, DIMENSION says 5"),
        ("DIMENSION: 4", "DIMENSION: 3", "x.tsp:11: city 4 does not exist, DIMENSION says 3"),
        ("DIMENSION: 4\n", "", "x.tsp:6: DIMENSION is missing before NODE_COORD_SECTION"),
        ("EDGE_WEIGHT_TYPE : EUC_2D\n", "", "x.tsp:6: EDGE_WEIGHT_TYPE is missing before NODE_COORD_SECTION"),
        ("TYPE : TSP", "NAME : again", "x.tsp:4: NAME is given twice"),
        (
            "TYPE : TSP",
            "DIMENSIONS : 4",
            "x.tsp:4: a header is KEY: value, 'DIMENSIONS' is none that is read here; did",
        ),
        ("TYPE : TSP", "hello", "x.tsp:4: a header is KEY: value, 'hello' is none that is read here; known: "),
        ("NODE_COORD_SECTION", "NODE_COORDS", "x.tsp:7: a header is KEY: value, 'NODE_COORDS' is none"),
        ("2 0.0 10.0", "2 0.0", "x.tsp:9: a city is three numbers as in '1 565.0 575.0', got '2 0.0'"),
        ("2 0.0 10.0", "2 0.0 nan", "x.tsp:9: 'nan' is no number"),
        ("2 0.0 10.0", "1 0.0 10.0", "x.tsp:9: city 1 is given twice"),
        ("2 0.0 10.0", "0 0.0 10.0", "x.tsp:9: city 0 does not exist, DIMENSION says 4"),
        ("2 0.0 10.0", "two 0.0 10.0", "x.tsp:9: a city is three numbers"),
        ("2 0.0 10.0", "2 0.0 1e12", "x.tsp:8: city 1: y is out of range"),
        ("EOF\n", "EOF\n1 2 3\n", "x.tsp:13: after EOF comes nothing more, got '1 2 3'"),
        ("4 10.5 0\n", "", "x.tsp:11: city 4 is missing, DIMENSION says 4"),
    ],
)
def test_a_malformed_tsplib_file_is_refused_with_its_line(old, new, message):
    with pytest.raises(BadInstance) as caught:
        read_tsp(Source("x.tsp", SQUARE.replace(old, new, 1)))
    assert str(caught.value).startswith(message)


def test_a_tsplib_file_without_cities_is_refused():
    with pytest.raises(BadInstance, match=r"x\.tsp:1: the file ends before NODE_COORD_SECTION"):
        read_tsp(Source("x.tsp", ""))


LISTS = [
    "[(1, 0, 10), (0, 3, 22), (2, 1, 8),\n (2, 3, 30), (1, 3, 25), (0, 2, 15)]",
    "# four cities\n1 0 10\n0 3 22\n\n2 1 8.0\n2,3,30  # the longest\n1;3;25\n0 2 15\n",
]


@pytest.mark.parametrize("text", LISTS)
def test_a_list_of_distances_is_read_in_any_order_and_direction(text):
    assert read_distances(Source("four.txt", text)) == {"distances": [10, 15, 22, 8, 25, 30]}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("0 1 10\n1 2", "x.txt:2: a distance is three numbers, city, city, distance, got '1 2'"),
        ("0 1 10\n1 0 10", "x.txt:2: the distance from 0 to 1 is given twice, first on line 1"),
        ("0 1 10\n1 2 10", "x.txt:2: the distance from 0 to 2 is missing, there are 3 cities"),
        ("0 1 10", "x.txt:1: an instance has at least 3 cities, got 2"),
        ("", "x.txt:1: an instance has at least 3 cities, got 0"),
        ("0 80 10", "x.txt:1: '80' is no city: they are integers from 0 to 79"),
        ("-1 2 10", "x.txt:1: '-1' is no city"),
        ("a 2 10", "x.txt:1: 'a' is no city"),
        ("1 1 10", "x.txt:1: city 1 has no distance to itself"),
        ("0 1 -10", "x.txt:1: '-10' is no distance"),
        ("0 1 inf", "x.txt:1: 'inf' is no distance"),
        ("0 1 1e12\n0 2 1\n1 2 1", "x.txt:3: the distance from 0 to 1 is out of range"),
    ],
)
def test_a_malformed_list_is_refused_with_its_line(text, message):
    with pytest.raises(BadInstance) as caught:
        read_distances(Source("x.txt", text))
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    ("name", "text", "found"),
    [
        ("one.in", "..../aa.b/..../....".replace("/", "\n"), "rush_hour"),
        ("one.json", '{"colour": "blue", "pieces": [[0, 0]], "blocks": []}', "chexers_solo"),
        ("one.tsp", SQUARE, "tsp"),
        ("ONE.TSP", "\ufeff" + SQUARE.replace("\n", "\r\n"), "tsp"),
        ("one.txt", LISTS[1], "tsp"),
    ],
)
def test_the_end_of_a_file_s_name_tells_the_game_and_its_options_make_a_position(tmp_path, name, text, found):
    (tmp_path / name).write_bytes(text.encode())
    read = read_file(tmp_path / name)
    assert read.game == found
    rules = game(read.game)
    state = rules.start(rules.parse_options(read.options))
    assert rules.parse_state(rules.format_state(state)) == state


def test_a_file_that_cannot_be_read_is_refused_by_name(tmp_path):
    with pytest.raises(BadInstance, match=r"a file with an instance ends in one of \.in \(rush_hour\), \.json"):
        read_file(tmp_path / "x.xml")
    with pytest.raises(BadInstance, match=r"x\.in: cannot be read: No such file.*; check the path \(here is /"):
        read_file(tmp_path / "x.in")
    (tmp_path / "x.in").write_bytes(b"aa..\n\xff\xff")
    with pytest.raises(BadInstance, match=r"x\.in:2: is no UTF-8 text"):
        read_file(tmp_path / "x.in")
    (tmp_path / "x.in").write_bytes(b"." * (MAX_BYTES + 1))
    with pytest.raises(BadInstance, match="is longer than 1000000 bytes"):
        read_file(tmp_path / "x.in")


@pytest.mark.parametrize("end", READERS)
@given(text=st.text() | st.text('0123456789 .aEOF:(),[]{}\n"', max_size=60))
def test_any_text_is_an_instance_or_refused_in_one_sentence(end, text):
    name, read = READERS[end]
    options, message = None, "x:"
    try:
        options = read(Source("x", text))
    except BadInstance as refused:
        message = str(refused)
    assert message.startswith("x:")
    assert len(message) < 400
    if options is None:
        return
    rules = game(name)
    rules.start(rules.parse_options(options))


BOARD = {"board": "b.../b.../aa.c/.d.."}
CELLS = {"board": "..../...../..r..#/..#r.../.r#.#./...../...."}


@pytest.mark.parametrize(
    ("found", "settings"),
    [
        (InstanceFile("rush_hour", BOARD), {"size": "5"}),
        (InstanceFile("rush_hour", BOARD), {"max_moves": "9", "moves": "3"}),
        (InstanceFile("rush_hour", BOARD), {"solvable": "true"}),
        (InstanceFile("chexers_solo", CELLS), {"blocks": "2"}),
        (InstanceFile("tsp", {"cities": CITIES}), {"size": "9"}),
    ],
)
def test_a_setting_that_an_instance_leaves_without_a_meaning_is_refused(found, settings):
    idle = [*settings][-1]
    with pytest.raises(BadOption, match=f"^the option '{idle}' of {found.game} is for instances that are drawn, and x"):
        found.with_settings("x", settings)


def test_other_settings_join_an_instance_and_its_own_are_not_given_twice():
    found = InstanceFile("rush_hour", BOARD)
    assert found.with_settings("x.in", {"max_moves": "50"}) == {**BOARD, "max_moves": "50"}
    with pytest.raises(BadOption, match=r"^the option 'board' is given twice: x\.in has it; leave one of them out$"):
        found.with_settings("x.in", BOARD)
    with pytest.raises(BadOption, match="rush_hour has no option 'sise'; did you mean 'size'"):
        found.with_settings("x.in", {"sise": "5"})
