"""The systemd units of deploy/ are accepted by systemd, and leave the server little that an intruder could use."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
UNITS = ROOT / "deploy" / "systemd"
NAMES = sorted(path.name for path in UNITS.glob("palio*") if path.is_file())


@pytest.fixture
def analyse(tmp_path):
    """Run systemd-analyze on copies of the units whose programs and files are there."""
    program = shutil.which("systemd-analyze")
    if program is None:
        pytest.skip("systemd-analyze is not installed: on Debian, apt install systemd")
    env = tmp_path / "palio.env"
    env.write_text("PALIO_DB=sqlite:////var/lib/palio/palio.db\n")
    here = {
        "/opt/palio/bin/palio": str(Path(sys.executable).with_name("palio")),
        "/opt/palio/backup/backup.sh": str(ROOT / "deploy" / "backup" / "backup.sh"),
        "/etc/palio/palio.env": str(env),
    }
    for name in NAMES:
        text = (UNITS / name).read_text()
        for path, real in here.items():
            text = text.replace(path, real)
        (tmp_path / name).write_text(text)

    def run(*words):
        return subprocess.run([program, *words], cwd=tmp_path, capture_output=True, text=True, check=False)

    return run


@pytest.mark.parametrize("name", NAMES)
def test_systemd_accepts_the_unit_without_a_warning(analyse, name):
    done = analyse("verify", "--man=no", f"./{name}")
    ours = [line for line in (done.stdout + done.stderr).splitlines() if "palio" in line]
    assert (done.returncode, ours) == (0, [])


@pytest.mark.parametrize("name", ["palio.service", "palio-backup.service"])
def test_the_exposure_of_a_service_is_what_systemd_calls_ok(analyse, name):
    done = analyse("security", "--offline=true", "--threshold=20", f"./{name}")
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_timer_starts_the_backup_and_every_setting_of_a_drop_in_is_one_that_the_unit_has():
    assert (UNITS / "palio-backup.timer").with_suffix(".service").exists()
    own = set(re.findall(r"^(\w+)=", (UNITS / "palio.service").read_text(), re.MULTILINE))
    dropped = set(re.findall(r"^(\w+)=", (UNITS / "palio.service.d" / "programs.conf").read_text(), re.MULTILINE))
    assert dropped - {"Delegate"} <= own
