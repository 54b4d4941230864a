"""`palio run --cluster` beyond one machine: a lab's scheduler with certificates, and a batch system's jobs."""

import datetime as dt
import ipaddress
import os
import signal
import socket
import stat
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from command import Palio, Started, program
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from model_server import in_thread

pytestmark = [pytest.mark.timeout(180), pytest.mark.slow]

GAMES = ("run", "breakthrough:rows=5,cols=4", "random", "other=random", "--rounds", "10")
SBATCH = """#!/bin/bash
# As sbatch does: take a script, run it elsewhere, where none of our files is open, say its number.
cp "$1" "{folder}/job.sh"
(
    for each in /proc/self/fd/*; do fd=${{each##*/}}; [ "$fd" -gt 2 ] && eval "exec $fd>&-"; done
    exec setsid bash "{folder}/job.sh" > "{folder}/job.log"
) > /dev/null 2>&1 &
echo $! >> "{folder}/jobs"
echo "Submitted batch job $!"
"""
SCANCEL = """#!/bin/sh
echo "$1" >> "{folder}/cancelled"
kill -TERM -- "-$1" 2> /dev/null || true
"""


def certificates(folder: Path) -> tuple[str, str, str]:
    """An authority of this test, a certificate that it has signed, its key."""
    now = dt.datetime.now(dt.UTC)

    def certificate(name: str, key, issuer: x509.Name, signer, *, authority: bool) -> x509.Certificate:
        return (
            x509.CertificateBuilder()
            .subject_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)]))
            .issuer_name(issuer)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - dt.timedelta(hours=1))
            .not_valid_after(now + dt.timedelta(hours=1))
            .add_extension(x509.BasicConstraints(ca=authority, path_length=None), critical=True)
            .add_extension(
                x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), critical=False
            )
            .sign(signer, hashes.SHA256())
        )

    roots, key = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "lab")])
    pem = serialization.Encoding.PEM
    (folder / "ca.pem").write_bytes(certificate("lab", roots, name, roots, authority=True).public_bytes(pem))
    (folder / "cert.pem").write_bytes(certificate("us", key, name, roots, authority=False).public_bytes(pem))
    (folder / "key.pem").write_bytes(
        key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    return tuple(str(folder / file) for file in ("ca.pem", "cert.pem", "key.pem"))


@pytest.fixture
def started(tmp_path: Path) -> Iterator[list[Started]]:
    found: list[Started] = []
    yield found
    for each in reversed(found):
        each.close()


def test_a_models_key_is_the_workers_own_and_is_seen_nowhere(palio: Palio, tmp_path: Path, started: list[Started]):
    key, theirs = "sk-a-key-that-nobody-sees-0123", "sk-the-key-of-the-worker-0456"
    palio.env["PALIO_LLM_KEY"] = key
    clean = {name: value for name, value in palio.env.items() if not name.endswith("_KEY")} | {"PALIO_DEBUG": "1"}
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    address = f"tcp://127.0.0.1:{port}"
    here = ("--host", "127.0.0.1", "--no-dashboard")
    scheduler = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--port", str(port), *here]
    worker = [sys.executable, "-m", "distributed.cli.dask_worker", address, "--nthreads", "1", *here]
    worker += ["--local-directory", str(tmp_path / "scratch")]
    started.append(Started(program(scheduler, tmp_path), clean))
    started[0].line_with("Scheduler at")
    started.append(Started(program(worker, tmp_path), clean))
    with in_thread(lambda asked: f"MOVE: {asked.legal[0]}") as model:
        run = ("run", "breakthrough:rows=5,cols=4", f"llm:{model.url},model=tiny", "random", "--cluster", address)
        refused = palio(*run, code=1)
        assert (
            "has no PALIO_LLM_KEY, from which the bot tiny takes its key; export it where the worker" in refused.stderr
        )
        assert model.asked == []
        started[1].close()
        started[1] = Started(program(worker, tmp_path), clean | {"PALIO_LLM_KEY": theirs})
        done = palio(*run, "--records", "g.txt")
        assert {asked.headers["authorization"] for asked in model.asked} == {f"Bearer {theirs}"}
    for each in started:
        each.close()
    said = [done.stdout, done.stderr, refused.stdout, refused.stderr]
    said += [line for each in started for line in (*each.lines, *each.errors)]
    assert not [text for text in said if key in text or theirs in text]
    kept = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert not [path for path in kept if key.encode() in path.read_bytes() or theirs.encode() in path.read_bytes()]


def test_a_lab_with_certificates_plays_and_lets_nobody_else_in(palio: Palio, tmp_path: Path, started: list[Started]):
    authority, certificate, key = certificates(tmp_path)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    tls = ("--tls-ca-file", authority, "--tls-cert", certificate, "--tls-key", key)
    here = ("--host", "127.0.0.1", "--no-dashboard", *tls)
    dask = (sys.executable, "-m", "distributed.cli")
    address = f"tls://127.0.0.1:{port}"
    scheduler = [dask[0], "-m", "distributed.cli.dask_scheduler", "--port", str(port), "--protocol", "tls", *here]
    worker = [dask[0], "-m", "distributed.cli.dask_worker", address, "--nthreads", "1", *here]
    worker += ["--local-directory", str(tmp_path / "scratch")]
    started.append(Started(program(scheduler, tmp_path), dict(os.environ)))
    started[0].line_with("Scheduler at")
    started.append(Started(program(worker, tmp_path), dict(os.environ)))
    done = palio.json(*GAMES, "--cluster", address, "--cluster-tls", f"{authority},{certificate},{key}", "--calibrate")
    assert done["games"] == {"scheduled": 0, "finished": 20, "aborted": 0}
    refused = palio(*GAMES, "--cluster", address, code=2)
    assert "add --cluster-tls CA.pem,CERT.pem,KEY.pem" in refused.stderr
    (tmp_path / "strangers").mkdir()
    theirs = ",".join(certificates(tmp_path / "strangers"))
    stranger = palio(*GAMES, "--cluster", address, "--cluster-tls", theirs, code=2)
    assert "does not answer" in stranger.stderr


def test_jobs_of_a_batch_system_play_and_are_cancelled_in_the_end(palio: Palio, tmp_path: Path):
    tools = tmp_path / "tools"
    tools.mkdir()
    for name, text in (("sbatch", SBATCH), ("scancel", SCANCEL)):
        (tools / name).write_text(text.format(folder=tools))
        (tools / name).chmod((tools / name).stat().st_mode | stat.S_IXUSR)
    palio.env["PATH"] = f"{tools}:{os.environ['PATH']}"
    where = "slurm:jobs=1,cores=2,memory=2GB,walltime=0:10:00,queue=short,interface=lo"
    done = palio.json(*GAMES, "--cluster", where)
    assert done["games"] == {"scheduled": 0, "finished": 20, "aborted": 0}
    script = (tools / "job.sh").read_text()
    assert "#SBATCH -p short" in script
    assert "#SBATCH --cpus-per-task=2" in script
    assert "#SBATCH -t 0:10:00" in script
    assert " tls://127.0.0.1:" in script
    assert (tools / "cancelled").read_text() == (tools / "jobs").read_text()


def test_without_its_scheduler_a_run_stops_and_can_be_gone_on_with(
    palio: Palio, tmp_path: Path, started: list[Started]
):
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    here = ("--host", "127.0.0.1", "--no-dashboard")
    address = f"tcp://127.0.0.1:{port}"
    scheduler = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--port", str(port), *here]
    worker = [sys.executable, "-m", "distributed.cli.dask_worker", address, "--nthreads", "1", *here]
    worker += ["--local-directory", str(tmp_path / "scratch")]
    started.append(Started(program(scheduler, tmp_path), dict(os.environ)))
    started[0].line_with("Scheduler at")
    started.append(Started(program(worker, tmp_path), dict(os.environ)))
    running = palio.start("run", "breakthrough", "random", "other=random", "--rounds", "10000", "--cluster", address)
    running.line_with("Finished game 20 ")
    started[0].end(signal.SIGKILL)
    assert running.wait() == 1
    assert "palio: the cluster's scheduler does not answer any more" in running.errors
    assert "; go on with: palio run --resume 1" in running.errors[-1]
    assert {match["status"] for match in palio.json("match", "list", "--limit", "500")} <= {"finished", "scheduled"}
    assert "0 do not reproduce, 0 sums are wrong" in palio("verify").stdout
