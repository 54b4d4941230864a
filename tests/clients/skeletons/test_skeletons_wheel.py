"""The templates travel in the wheel: who has installed Palio can write all of them."""

import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]


@pytest.mark.slow
def test_every_template_is_in_the_wheel(wheel):
    room = "palio_clients/skeletons/"
    with zipfile.ZipFile(wheel) as files:
        packed = {name.removeprefix(room) for name in files.namelist() if name.startswith(room)}
    there = {file.name for file in (ROOT / "clients" / room).iterdir() if file.is_file()}
    assert packed == there
    assert {f"bot.{suffix}.txt" for suffix in ("py", "js", "rs", "go", "java", "cpp")} <= packed
