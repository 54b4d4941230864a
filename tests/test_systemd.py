"""The systemd units of deploy/ are accepted by systemd, and leave the server little that an intruder could use."""

import platform
import re
import shutil
import socket
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
def test_systemd_accepts_the_unit_and_its_drop_in_without_a_warning(analyse, name, tmp_path):
    shutil.copytree(UNITS / "palio.service.d", tmp_path / "palio.service.d")
    done = analyse("verify", "--man=no", f"./{name}")
    ours = [line for line in (done.stdout + done.stderr).splitlines() if "palio" in line]
    assert (done.returncode, ours) == (0, [])


@pytest.mark.parametrize("name", ["palio.service", "palio-backup.service"])
def test_the_exposure_of_a_service_is_what_systemd_calls_ok(analyse, name):
    done = analyse("security", "--offline=true", "--threshold=20", f"./{name}")
    assert done.returncode == 0, done.stdout + done.stderr


# Directives by the version of systemd that brought them; all others are older than version 230.
SINCE = {
    **dict.fromkeys(("DynamicUser", "MemoryDenyWriteExecute", "PrivateUsers", "RemoveIPC"), 232),
    **dict.fromkeys(("ProtectKernelModules", "ProtectKernelTunables", "ProtectControlGroups"), 232),
    **dict.fromkeys(("RestrictNamespaces", "RestrictRealtime"), 233),
    **dict.fromkeys(("LockPersonality", "RuntimeDirectory", "StateDirectory", "StateDirectoryMode"), 235),
    **dict.fromkeys(("ProtectHostname", "RestrictSUIDSGID"), 242),
    **dict.fromkeys(("OOMPolicy",), 243),
    **dict.fromkeys(("ProtectKernelLogs",), 244),
    **dict.fromkeys(("ProtectClock",), 245),
    **dict.fromkeys(("ProcSubset", "ProtectProc"), 247),
    **dict.fromkeys(("RestrictFileSystems",), 250),
    **dict.fromkeys(("RootEphemeral", "MemoryKSM"), 254),
    **dict.fromkeys(("RestartSteps", "RestartMaxDelaySec"), 254),
}
CLAIMED = int(re.search(r"for systemd (\d+)", (UNITS / "palio.service").read_text())[1])
GROUPS = {
    line.split()[0]: line.split()[1:] for line in (ROOT / "tests" / f"systemd_{CLAIMED}.txt").read_text().splitlines()
}  # of `systemd-analyze syscall-filter`
FILES = [path for path in UNITS.rglob("*") if path.is_file()]


def settings(*paths):
    """Directives and values, in their order."""
    return [found for path in paths for found in re.findall(r"^(\w+)=(.*)$", path.read_text(), re.MULTILINE)]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_the_oldest_systemd_that_the_unit_claims_knows_what_is_in_it(path):
    assert [name for name, _ in settings(path) if SINCE.get(name, 0) > CLAIMED] == []
    filters = " ".join(value for name, value in settings(path) if name == "SystemCallFilter")
    words = {word.removeprefix("~") for word in filters.split()}
    assert words <= GROUPS.keys() | expanded("@known")


def allowed_calls(*paths):
    """The names of the system calls that a service may make, as systemd computes them."""
    allowed = None
    for value in (value for name, value in settings(*paths) if name == "SystemCallFilter"):
        if not value:
            allowed = None
            continue
        names = {name for word in value.removeprefix("~").split() for name in expanded(word)}
        allowed = names if allowed is None else allowed - names if value.startswith("~") else allowed | names
    return allowed


def expanded(word):
    return {name for each in GROUPS[word] for name in expanded(each)} if word.startswith("@") else {word}


def families(*paths):
    return {word for name, value in settings(*paths) if name == "RestrictAddressFamilies" for word in value.split()}


NUMBERS = Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h")
# As a service with DynamicUser=yes: no root, a filter of system calls, and sockets of some families.
TRIAL = """
import ctypes, errno, os, struct, sys
from palio_server.sandbox.bubblewrap import this_machine

numbers, known, families = (list(map(int, each.split(","))) for each in sys.argv[1:4])
libc = ctypes.CDLL(None, use_errno=True)
if os.geteuid() == 0:
    assert libc.unshare(0x10000000) == 0
    for name, line in (("setgroups", "deny"), ("uid_map", "1000 0 1"), ("gid_map", "1000 0 1")):
        with open(f"/proc/self/{name}", "w") as file:
            file.write(line)
lines = [(0x20, 0, 0, 0), (0x15, 0, 3 + 2 * len(families), 41), (0x20, 0, 0, 16)]  # socket: the first argument
for family in families:
    lines += [(0x15, 0, 1, family), (6, 0, 0, 0x7FFF0000)]
lines += [(6, 0, 0, 0x50000 | errno.EAFNOSUPPORT), (0x20, 0, 0, 0)]
for number in numbers:
    lines += [(0x15, 0, 1, number), (6, 0, 0, 0x7FFF0000)]
for number in known:
    lines += [(0x15, 0, 1, number), (6, 0, 0, 0x50000 | errno.EPERM)]
lines.append((6, 0, 0, 0x50000 | errno.ENOSYS))
code = b"".join(struct.pack("HBBI", *line) for line in lines)
kept = ctypes.create_string_buffer(code, len(code))
head = struct.pack("HP", len(lines), ctypes.addressof(kept))
assert libc.prctl(38, 1, 0, 0, 0) == 0
assert libc.prctl(22, 2, ctypes.c_char_p(head), 0, 0) == 0
os.execv(sys.executable, [sys.executable, "-c", "from palio_server.sandbox.bubblewrap import this_machine as m; "
    "print(m().lacks, m().remedy, sep='; ') if m().lacks else print('works')"])
"""


def tried(calls, of_families):
    """The sandbox's own trial within a filter of system calls, as it tells its result."""
    if not NUMBERS.exists() or platform.machine() != "x86_64":
        pytest.skip(f"the numbers of system calls are read from {NUMBERS}: on Debian, apt install linux-libc-dev")
    numbers = {name: int(number) for name, number in re.findall(r"__NR_(\w+) (\d+)", NUMBERS.read_text())}
    known = expanded("@known") - calls
    words = [",".join(str(numbers[name]) for name in sorted(each) if name in numbers) for each in (calls, known)]
    words.append(",".join(str(int(getattr(socket, name))) for name in sorted(of_families)))
    done = subprocess.run([sys.executable, "-c", TRIAL, *words], capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


SERVICE, PROGRAMS = UNITS / "palio.service", UNITS / "palio.service.d" / "programs.conf"


def test_the_sandbox_works_within_the_filters_of_the_service_for_programs(bubblewrap):
    assert tried(allowed_calls(SERVICE, PROGRAMS), families(SERVICE, PROGRAMS)) == "works\n"


@pytest.mark.parametrize(
    ("calls", "without", "told"),
    [
        ({"seccomp"}, set(), "the system refuses a filter of system calls"),
        ({"sethostname"}, set(), "the system refuses namespaces of processes and names"),
        ({"unshare", "clone", "clone3"}, set(), ""),
        (set(), {"AF_NETLINK"}, "the system refuses a network of its own"),
    ],
    ids=["seccomp", "sethostname", "namespaces", "netlink"],
)
def test_what_a_service_lacks_for_the_sandbox_is_named_by_the_doctor_with_the_remedy(bubblewrap, calls, without, told):
    said = tried(allowed_calls(SERVICE, PROGRAMS) - calls, families(SERVICE, PROGRAMS) - without)
    assert told in said
    assert "works" not in said.splitlines()
    if told:
        assert "palio.service.d/programs.conf" in said


def test_the_timer_starts_the_backup_and_every_setting_of_a_drop_in_is_one_that_the_unit_has():
    assert (UNITS / "palio-backup.timer").with_suffix(".service").exists()
    own = set(re.findall(r"^(\w+)=", (UNITS / "palio.service").read_text(), re.MULTILINE))
    dropped = set(re.findall(r"^(\w+)=", (UNITS / "palio.service.d" / "programs.conf").read_text(), re.MULTILINE))
    assert dropped - {"Delegate"} <= own
