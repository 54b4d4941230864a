"""The commands of docs/how-to/operating.md, pasted and run in order, with the system's folders in a temporary one."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from command import Palio
from serving import ROOT

PAGE = ROOT / "docs" / "how-to" / "operating.md"
SYSTEM = ("/opt/", "/etc/", "/var/", "/srv/", "/tmp/drill")  # of the page
VENV = """#!/bin/sh
mkdir -p "$3/bin" && printf '#!/bin/sh\\necho pip "$@"\\n' > "$3/bin/pip" && chmod +x "$3/bin/pip"
"""


def block(heading: str, number: int = 0) -> str:
    """Return a shell block of the section with this heading."""
    section = PAGE.read_text("utf-8").split(f"\n## {heading}\n")[1].split("\n## ")[0]
    found: str = re.findall(r"```sh\n(.*?)```", section, re.DOTALL)[number]
    return found


@pytest.fixture
def paste(tmp_path: Path, palio: Palio):
    """Run a block below a folder that stands for the root of the file system; `palio` is that of this checkout."""
    stubs = tmp_path / "bin"
    stubs.mkdir()
    for name, text in {"apt-get": "", "systemctl": 'echo systemctl "$@"', "python3": VENV}.items():
        (stubs / name).write_text(text if text.startswith("#!") else f"#!/bin/sh\n{text}\n")
        (stubs / name).chmod(0o755)
    (tmp_path / "deploy").symlink_to(ROOT / "deploy")
    (tmp_path / "etc" / "systemd" / "system").mkdir(parents=True)
    path = f"{stubs}:{Path(sys.executable).parent}:{os.environ['PATH']}"
    env = {**palio.env, "PATH": path, "PALIO_DB": f"sqlite:///{tmp_path}/var/lib/palio/palio.db"}

    def run(text: str, **words: str) -> str:
        for folder in SYSTEM:
            text = text.replace(folder, f"{tmp_path}{folder}")
        for word, value in words.items():
            text = text.replace(word, value)
        done = subprocess.run(["sh", "-euc", text], cwd=tmp_path, env=env, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    return run


@pytest.mark.slow
def test_a_year_from_the_installation_to_a_restored_backup(paste, tmp_path: Path):
    shown = paste(block("Install"))
    assert "pip install palio[server]" in shown
    assert "systemctl enable --now palio palio-backup.timer" in shown
    units = tmp_path / "etc" / "systemd" / "system"
    assert {each.name for each in units.iterdir()} == {"palio.service", "palio-backup.service", "palio-backup.timer"}
    assert (tmp_path / "opt" / "palio" / "backup" / "backup.sh").stat().st_mode & 0o100
    assert "PALIO_AUTH=required\n" in (tmp_path / "etc" / "palio" / "palio.env").read_text()

    (tmp_path / "var" / "lib" / "palio").mkdir(parents=True)
    assert paste(block("The first term")).count("palio_") >= 2, "two tokens"
    copy = paste(block("Backup and restore")).strip().splitlines()[-1]
    assert copy.startswith(f"{tmp_path}/var/backups/palio/palio-")
    (tmp_path / "tmp").mkdir()
    assert "restored" in paste(block("Backup and restore", 1), COPY=copy)
    paste(block("Upgrades"))


@pytest.mark.slow
def test_what_a_year_has_grown_is_moved_to_files_and_comes_back(paste, tmp_path: Path):
    """The games are of today, so that the block is pasted with another day than that of a year ago."""
    (tmp_path / "var" / "lib" / "palio").mkdir(parents=True)
    paste("palio run breakthrough:rows=5,cols=3 random other=random --rounds 2 --db $PALIO_DB")
    assert "4 matches replayed, 0 do not reproduce" in paste("palio verify --db $PALIO_DB")
    folder, archive, retain, restore = block("Growth").strip().splitlines()
    paste(folder)
    moved = paste(f"exec 2>&1\n{archive}", **{"1y": "2999-01-01"})
    assert "4 matches are archived in 2025.parquet" in moved
    assert "0 matches replayed (4 are archived" in paste("palio verify --db $PALIO_DB")
    paste(retain)
    assert "4 of them archived, which have their moves again" in paste(f"exec 2>&1\n{restore}")
    assert "4 matches replayed, 0 do not reproduce, 0 sums are wrong" in paste("palio verify --db $PALIO_DB")
