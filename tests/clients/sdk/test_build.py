"""What a bot says it is: enough to tell programs apart, and nothing of whose machine it is."""

from importlib.metadata import version

from palio_clients.sdk.bot import Bot
from palio_clients.sdk.join import MOST, build_of_class, build_of_spec

OURS = f", palio {version('palio')}"


class Mine(Bot):
    def choose(self, state, clock):
        return next(state.legal_moves())


def test_a_shipped_bot_is_its_spec():
    assert build_of_spec("alpha_beta:depth=4") == "alpha_beta:depth=4" + OURS


def test_a_file_is_its_name_and_what_is_in_it(tmp_path):
    file = tmp_path / "secret-folder" / "mine.py"
    file.parent.mkdir()
    file.write_text("one")
    first = build_of_spec(f"{file}:Mine:depth=3")
    file.write_text("two")
    second = build_of_spec(f"{file}:Mine:depth=3")
    assert first != second
    for build in (first, second):
        assert build.startswith("mine.py:Mine:depth=3 ")
        assert "secret-folder" not in build


def test_a_programs_arguments_lose_their_folders(tmp_path):
    assert build_of_spec(f"exec:{tmp_path}/engine --book={tmp_path}/book.bin") == "exec:engine --book=book.bin" + OURS


def test_an_installed_program_another_size_of_file_and_a_folder_are_told_by_their_content(tmp_path, monkeypatch):
    engine, package = tmp_path / "fish", tmp_path / "team" / "__init__.py"
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("palio_clients.sdk.join.LARGEST", 5)
    package.parent.mkdir()
    builds = set()
    for text in ("one", "two", "longer than is read", "longer than is read: another one"):
        engine.write_text(text)
        engine.chmod(0o755)
        package.write_text(text)
        builds |= {build_of_spec(f"uci:fish,option.Name={'x' * 300}"), build_of_spec(f"handout:tsp:{package.parent}")}
    assert len(builds) == 8
    assert all(len(build) <= MOST for build in builds)


def test_a_long_spec_is_cut_to_what_a_hello_may_say():
    assert len(build_of_spec("alpha_beta:" + "x" * 500)) == MOST


def test_a_class_is_named_with_what_is_in_its_file():
    assert build_of_class(Mine).startswith("Mine ")
    assert build_of_class(type("Typed", (), {"__module__": "nowhere"})) == "Typed" + OURS
