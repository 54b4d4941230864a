"""Programs that try to get out of their sandbox: each fails, and the host is as before.

What such a program's opponent and the record see is in `test_sandbox_run.py`.
"""

import os
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
from sandbox_trial import HEAD, LIMITS, run_words, trial, trial_as_nobody

from palio_rules.errors import BadOption
from palio_server.sandbox.spec_files import files_of

AWAY = {  # what is not there, or may not be done: each must be denied
    "the database, by its name": "attempt(open, os.path.dirname(__file__) + '/palio.db', 'rb')",
    "the database's journal": "attempt(open, os.path.dirname(__file__) + '/palio.db-wal', 'rb')",
    "the database, written": "attempt(open, os.path.dirname(__file__) + '/palio.db', 'wb')",
    "a file of its own folder, written": "attempt(open, __file__, 'a')",
    "its own folder": "attempt(open, os.path.dirname(__file__) + '/new', 'w')",
    "a link out of its folder": "attempt(open, os.path.dirname(__file__) + '/link', 'rb')",
    "a secret beside it": "attempt(open, os.path.dirname(__file__) + '/.env')",
    "another folder": "attempt(os.listdir, os.path.dirname(os.path.dirname(__file__)) + '/secret')",
    "somebody's home": "attempt(os.listdir, '/root/.ssh')",
    "the host's users": "attempt(open, '/etc/shadow')",
    "the host's settings": "attempt(open, '/etc/hostname')",
    "the system": "attempt(open, '/usr/bin/mine', 'w')",
    "Python": "attempt(open, os.__file__, 'a')",
    "the root folder": "attempt(open, '/new', 'w')",
    "devices": "attempt(os.mknod, '/scratch/disk', 0o60600, os.makedev(8, 0))",
    "new terminals": "attempt(open, '/dev/ptmx')",
    "the kernel's settings": "attempt(open, '/proc/sys/kernel/hostname', 'w')",
    "the kernel's log": "attempt(open, '/sys/kernel/notes')",
    "a port of this machine": "attempt(socket.create_connection, ('127.0.0.1', 5432), 2)",
    "an address elsewhere": "attempt(socket.create_connection, ('192.0.2.1', 80), 2)",
    "a port of its own": "attempt(socket.socket)",
    "raw packets": "attempt(socket.socket, socket.AF_PACKET, socket.SOCK_RAW)",
    "the virtual machine's host": "attempt(socket.socket, 40, socket.SOCK_STREAM)",
    "the kernel's ciphers": "attempt(socket.socket, 38, socket.SOCK_SEQPACKET)",
    "the warden's end": (  # who is not allowed hears so; who is, is not heard: and it lives on
        "try:\n    os.kill(1, 9)\n    os.kill(1, 19)\nexcept PermissionError:\n    pass\nprint('denied')"
    ),
    "the warden's memory": "attempt(open, '/proc/1/mem', 'rb')",
    "the warden's secrets": "attempt(open, '/proc/1/environ')",
    "the warden's files": (
        "for n in range(1024):\n    os.path.lexists(f'/proc/1/fd/{n}') and attempt(open, f'/proc/1/fd/{n}', 'wb')\n"
        "print('denied')"
    ),
    "the warden's counters": (
        "for each in ('status', 'stat', 'sched', 'schedstat', 'comm', 'task/1/status', 'task/1/stat', 'net/dev'):\n"
        "    attempt(open, '/proc/1/' + each)"
    ),
    "the warden's priority": "attempt(os.setpriority, os.PRIO_PROCESS, 1, 19)",
    "the warden's processor": "attempt(os.sched_setaffinity, 1, {0})",
    "the warden's limits": "import resource\nattempt(resource.prlimit, 1, resource.RLIMIT_NOFILE, (1, 1))",
    "everybody's priority": "attempt(os.setpriority, os.PRIO_USER, 0, 19)",
    "a higher priority": "attempt(os.setpriority, os.PRIO_PROCESS, 0, -10)",
    "a real-time priority": "attempt(os.sched_setscheduler, 0, os.SCHED_FIFO, os.sched_param(10))",
    "tracing": "attempt(call, 101, 16, 1, 0, 0)",
    "its parent's memory": "attempt(call, 310, 1, 0, 0, 0, 0, 0)",
    "a user namespace": "attempt(call, 272, 0x10000000)",
    "a user namespace by clone": "attempt(call, 56, 0x10000011, 0, 0, 0, 0)",
    "clone3": "attempt(call, 435, 0, 0)",
    "mounts": "attempt(call, 165, b'none', b'/tmp', b'tmpfs', 0, 0)",
    "another root": "attempt(os.chroot, '/tmp')",
    "keys of the kernel": "attempt(call, 248, b'user', b'mine', b'x', 1, -3)",
    "keyrings": "attempt(call, 250, 0, -3, 1)",
    "programs in the kernel": "attempt(call, 321, 0, 0, 0)",
    "performance counters": "attempt(call, 298, 0, 0, -1, -1, 0)",
    "page faults": "attempt(call, 323, 0)",
    "rings": "attempt(call, 425, 8, 0)",
    "files by handle": "attempt(call, 304, -100, 0, 0)",
    "anonymous files in memory": "attempt(os.memfd_create, 'mine')",
    "shared memory of nobody": "attempt(mmap.mmap, -1, 1 << 20)",
    "segments of shared memory": "attempt(call, 29, 0, 1 << 20, 0o1600)",
    "queues of messages": "attempt(call, 68, 0, 0o1600)",
    "semaphores": "attempt(call, 64, 0, 100, 0o1600)",
    "zeros that are shared": "attempt(mmap.mmap, os.open('/dev/zero', os.O_RDWR), 1 << 20)",
    "a file of 10 GB": (
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\nattempt(os.truncate, os.open('/scratch/x', 66), 10 << 30)"
    ),
    "a bubblewrap of its own": (
        "done = subprocess.run(['bwrap', '--unshare-all', '--ro-bind', '/', '/', 'true'], capture_output=True)\n"
        "print('DONE' if done.returncode == 0 else 'denied')"
    ),
    "rights of root": (
        "done = subprocess.run(['su', '-c', 'id'], capture_output=True, stdin=subprocess.DEVNULL)\n"
        "print('DONE' if b'uid=0' in done.stdout else 'denied')"
    ),
    "a closed file of its parent's": "attempt(os.write, int(open(os.path.dirname(__file__) + '/number').read()), b'x')",
}
pytestmark = pytest.mark.usefixtures("bubblewrap")
X86_ONLY = sys.platform == "linux" and os.uname().machine != "x86_64"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A bot's folder, with a database in it, secrets beside, and a link out.

    Every user may write in it, so that the sandbox alone prevents it.
    """
    found = tmp_path / "bots"
    found.mkdir()
    found.chmod(0o777)
    (found / "program.py").touch()
    (found / "program.py").chmod(0o666)
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "key").write_text("secret")
    (found / "palio.db").write_text("secret")
    (found / "palio.db-wal").write_text("secret")
    (found / ".env").write_text("secret")
    (found / "link").symlink_to(tmp_path / "secret" / "key")
    return found


def attempts(folder: Path) -> tuple[str, int]:
    """All of AWAY as one program, each with its name before it; and a file that is open where it is started."""
    reading, writing = os.pipe()
    os.close(reading)
    (folder / "number").write_text(str(writing))
    return "\n".join(f"print({name!r} + ':', end=' ')\n{code}" for name, code in AWAY.items()), writing


def undenied(out: str) -> list[str]:
    return [line for line in out.splitlines() if ": denied" not in line and not line.startswith("denied")]


@pytest.mark.skipif(X86_ONLY, reason="numbers of system calls")
def test_what_is_nobodys_business_is_denied(folder: Path):
    program, extra = attempts(folder)
    try:
        done = trial(folder, program, hidden=(folder / "palio.db",), extra=(extra,))
    finally:
        os.close(extra)
    assert undenied(done.out) == [], done.out
    assert done.out.count("denied") >= len(AWAY)
    assert (done.code, done.used_up) == (0, "")
    assert (folder / "palio.db").read_text() == "secret"


@pytest.mark.skipif(X86_ONLY or os.geteuid() != 0, reason="only root can become somebody else")
def test_an_ordinary_users_sandbox_denies_the_same(folder: Path):
    program, extra = attempts(folder)
    os.close(extra)
    done = trial_as_nobody(folder, program, hidden=folder / "palio.db")
    assert undenied(done.out) == [], done.out
    assert (done.code, done.used_up) == (0, "")


def test_of_its_own_folder_it_reads_no_secrets_whatever_they_are_called(folder: Path):
    secrets = {
        **dict.fromkeys(("league.db", "results.bak", "sub/deep/data"), b"SQLite format 3\0" + bytes(100)),
        **dict.fromkeys(("dump", "sub/dump.bin"), b"PGDMP\1"),
        **dict.fromkeys(("notes.txt", "sub/x"), b"-----BEGIN OPENSSH PRIVATE KEY-----\nsecret\n"),
        **dict.fromkeys(("server.key", "ID_RSA", "sub/server.PEM", "sub/.env", ".Env.local", "sub/.git/config"), b"s"),
        **dict.fromkeys((".git-credentials", ".npmrc", "sub/.pypirc", "sub/.ssh/config", ".pgpass", "a.p12"), b"s"),
        "account.json": b'{"type": "service_account"}',
        "token-of-palio": b"palio_" + b"A1" * 16,
    }
    for name, text in {
        **secrets,
        "sub/book.bin": b"book",
        "certificates.pem": b"-----BEGIN CERTIFICATE-----\n",
    }.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(text)
    (folder / "hard").hardlink_to(folder / "palio.db")
    names = [*secrets, "hard"]
    program = f"""
here = os.path.dirname(__file__)
for name in {names!r}:
    attempt(open, os.path.join(here, name))
    attempt(open, name)
print([len(open(os.path.join(here, name)).read()) for name in ("sub/book.bin", "certificates.pem")])
"""
    done = trial(folder, program, hidden=(folder / "palio.db",))
    assert undenied(done.out) == ["[4, 28]"], done.out


@pytest.mark.parametrize("line", ["{0}", "/usr/bin/env -S {0}", "{1}"])
def test_first_lines_of_scripts_in_its_folder_open_no_other_programs_folder(folder: Path, line: str):
    tool = folder.parent / "secret" / "bin" / "tool"
    tool.parent.mkdir()
    shutil.copy("/bin/sh", tool)
    (folder / "reader").symlink_to(tool)
    script = folder / "script"
    script.write_text(f"#!{line.format(tool, folder / 'reader')}\necho DONE\n")
    script.chmod(0o755)
    assert subprocess.run([script], capture_output=True, check=True).stdout == b"DONE\n"
    (folder / "program.py").write_text(
        f"""{HEAD}
try:
    print(subprocess.run([sys.argv[1]], capture_output=True, text=True).stdout or "denied")  # by env, which is there
except OSError:
    print("denied")
attempt(os.listdir, {str(tool.parent)!r})
attempt(open, {str(tool.parent.parent / "key")!r})
"""
    )
    done = run_words(folder, [sys.executable, "-I", "-S", "./program.py", "./script"], LIMITS)
    assert (done.denied, done.out.count("denied")) == (True, 3), done.out
    with pytest.raises(BadOption, match=f"is run by {tool}, which is neither the system's"):
        run_words(folder, ["./script"], LIMITS)


def test_links_in_its_folder_are_not_followed_though_the_spec_names_their_files(folder: Path):
    secret = folder.parent / "secret"
    (secret / "book.sqlite").write_bytes(b"SQLite format 3\0" + bytes(100))
    (folder / "sub").mkdir()
    (folder / "sub" / "deep").symlink_to("../../secret")
    (folder / "all").symlink_to(secret)
    (folder / "chain").symlink_to("link")
    (folder / "book.sqlite").symlink_to(secret / "book.sqlite")
    program = """
here = os.path.dirname(__file__)
for name in ("link", "chain", "all/key", "sub/deep/key", "book.sqlite"):
    attempt(open, os.path.join(here, name))
    attempt(open, name)
attempt(os.listdir, os.path.join(here, "all"))
"""
    (folder / "program.py").write_text(HEAD + program)
    spec = f"{folder}/program.py:book={folder}/book.sqlite,key={folder}/./link"
    assert len(files_of(spec).files) == 3
    for found in (trial(folder, program), trial(folder, program, spec=spec)):
        assert (found.denied, found.out.count("denied")) == (True, 11), found.out


def test_what_a_bot_needs_is_there(folder: Path):
    (folder / "weights.bin").write_bytes(b"1234")
    program = """
import json
print(open("weights.bin", "rb").read(), open(os.path.dirname(__file__) + "/weights.bin", "rb").read())
print(os.getcwd(), os.environ["HOME"], open("/dev/zero", "rb").read(2), len(os.urandom(4)))
open("notes.txt", "w").write("mine"); open("/tmp/notes.txt", "w").write("mine"); open("/dev/null", "w").write("x")
print(sorted(os.environ)); print(os.listdir("/proc/self/fd"))
print(sorted(p for p in os.listdir("/proc") if p.isdigit()))
worker = threading.Thread(target=print, args=("thread",)); worker.start(); worker.join()
print(subprocess.run(["echo", "process"], capture_output=True, text=True).stdout)
print(socket.gethostname(), socket.socketpair()[0].family)
"""
    done = trial(folder, program, hidden=(folder / "palio.db",))
    assert "b'1234' b'1234'" in done.out
    assert "/scratch /scratch b'\\x00\\x00' 4" in done.out
    assert "['0', '1', '2', '3']" in done.out  # 3 is the folder that it looks at
    assert "['1', '2']" in done.out
    assert "thread" in done.out
    assert "process" in done.out
    assert "palio" in done.out
    assert (done.code, done.used_up) == (0, "")


def test_no_password_reaches_a_bot_and_no_variable_of_ours(folder: Path, monkeypatch: pytest.MonkeyPatch):
    for name in ("PALIO_DB", "PALIO_TOKEN", "PGPASSWORD", "AWS_SECRET_ACCESS_KEY", "OPENAI_API_KEY", "HOME"):
        monkeypatch.setenv(name, "secret")
    done = trial(folder, "print(dict(os.environ)); print(open('/proc/1/cmdline').read())")
    assert "secret" not in done.out
    assert "PALIO_LIMITS" in done.out


def marked(text: str) -> list[int]:
    """Processes of this machine with this word in their command lines."""
    found = []
    for each in Path("/proc").glob("[0-9]*"):
        try:
            if text.encode() in (each / "cmdline").read_bytes().split(b"\0"):
                found.append(int(each.name))
        except OSError:
            continue
    return found


def gone(text: str) -> bool:
    until = time.monotonic() + 10
    while marked(text) and time.monotonic() < until:
        time.sleep(0.02)
    return not marked(text)


LEAVES = """
for _ in range(3):
    if os.fork() == 0:
        os.setsid()
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        if os.fork() == 0:
            os.execv(sys.executable, [sys.executable, "-I", "-S", "-c", "import time; time.sleep(60)", "WORD"])
        os._exit(0)
time.sleep(AFTER)
"""


def test_children_that_are_left_behind_end_with_the_program(folder: Path, tmp_path: Path):
    word = f"left-{tmp_path.name}"
    done = trial(folder, LEAVES.replace("WORD", word).replace("AFTER", "0.3"))
    assert done.code == 0
    assert gone(word)


def test_all_end_with_whoever_has_started_the_sandbox_even_by_kill_9(folder: Path, tmp_path: Path):
    word = f"killed-{tmp_path.name}"
    starter = (
        "import sys; from pathlib import Path; from sandbox_trial import trial;"
        f" trial(Path({str(folder)!r}), {LEAVES.replace('WORD', word).replace('AFTER', '60')!r}, seconds=60)"
    )
    path = os.pathsep.join([str(Path(__file__).parent), *sys.path])
    process = subprocess.Popen([sys.executable, "-c", starter], env=os.environ | {"PYTHONPATH": path})
    until = time.monotonic() + 20
    while len(marked(word)) < 3 and time.monotonic() < until:
        time.sleep(0.02)
    assert len(marked(word)) == 3
    process.kill()
    process.wait()
    assert gone(word)


def test_a_socket_without_a_file_is_its_own(folder: Path, tmp_path: Path):
    name = f"\0{tmp_path.name}"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(name)
        listener.listen()
        done = trial(folder, f"attempt(socket.socket(socket.AF_UNIX).connect, {name!r})")
    assert done.denied


def test_two_sandboxes_see_nothing_of_each_other(folder: Path):
    assert trial(folder, "open('/scratch/mine', 'w'); open('/tmp/mine', 'w'); open('/dev/shm/mine', 'w')").code == 0
    done = trial(folder, "print([os.path.exists(p + '/mine') for p in ('/scratch', '/tmp', '/dev/shm')])")
    assert done.out == "[False, False, False]\n"
