"""`--cluster`: what it may say, and how it is refused."""

from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palio_rules.errors import BadOption
from palio_server.addons.cluster.connecting import ClusterSpec, Tls


def test_a_scheduler_workers_here_or_jobs():
    assert ClusterSpec.parse("tcp://lab-7:8786/") == ClusterSpec("scheduler", address="tcp://lab-7:8786")
    assert ClusterSpec.parse("tls://[::1]:8786").address == "tls://[::1]:8786"
    assert ClusterSpec.parse("local:4") == ClusterSpec("local", workers=4)
    found = ClusterSpec.parse("slurm:jobs=20,cores=16,walltime=1:00:00,queue=short,job-name=palio")
    assert (found.kind, found.jobs, str(found)) == ("slurm", 20, "20 jobs of slurm")
    assert found.settings == {
        "cores": 16,
        "walltime": "1:00:00",
        "queue": "short",
        "job_name": "palio",
        "memory": "32GB",
        "processes": 1,
    }
    assert ClusterSpec.parse("htcondor:jobs=1,cores=1").settings["disk"] == "2GB"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("slrum:jobs=1,cores=1", "did you mean 'slurm'?"),
        ("locl:4", "did you mean 'local'?"),
        ("slurm:jobs=1,cores=1,waltime=1:00", "did you mean 'walltime'?"),
        ("pbs:jobs=1,cores=1,disk=2GB", "no setting 'disk'"),
        ("slurm:cores=4", "needs jobs=N"),
        ("slurm:jobs=4", "needs cores=N"),
        ("slurm:jobs=4,jobs=5,cores=1", "twice"),
        ("slurm:jobs=4,cores=2,walltime=soon", "walltime 'soon' is no time"),
        ("slurm:jobs=4,cores=2,memory=much", "memory 'much' is no size"),
        ("slurm:jobs=4,cores=2,processes=3", "3 processes share 2 cores"),
        ("slurm:jobs=0,cores=2", "no number from 1"),
        ("local:", "no number from 1"),
        ("local:four", "write local:4"),
        ("tpc://host:8786", "did you mean 'tcp'?"),
        ("tcp://host", "write tcp://HOST:8786"),
        ("tcp://host:99999", "write tcp://HOST:8786"),
        ("", "is no cluster"),
    ],
)
def test_what_cannot_be_is_refused_with_the_remedy(text: str, said: str):
    with pytest.raises(BadOption) as refused:
        ClusterSpec.parse(text)
    assert said in str(refused.value)


@given(st.text(max_size=60) | st.from_regex(r"(slurm|local|tcp|pbs)(://|:)[a-z0-9=,:.]{0,30}", fullmatch=True))
def test_any_text_is_read_or_refused_in_a_sentence(text: str):
    with suppress(BadOption):
        found = ClusterSpec.parse(text)
        assert found.kind in ("scheduler", "local") or found.jobs > 0


def test_tls_names_three_files_that_are_there(tmp_path: Path):
    files = [tmp_path / name for name in ("ca.pem", "cert.pem", "key.pem")]
    with pytest.raises(BadOption, match="there is no file"):
        Tls.parse(",".join(map(str, files)))
    for file in files:
        file.touch()
    assert Tls.parse(",".join(map(str, files))) == Tls(*files)
    with pytest.raises(BadOption, match=r"write CA\.pem,CERT\.pem,KEY\.pem"):
        Tls.parse(str(files[0]))
