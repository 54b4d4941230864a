"""`palio run --log-file`: levels, lines of engines, and a file that cannot be written."""

import re

import pytest

from palio_rules.errors import BadOption
from palio_server.cli.run_log import LogChoice, RunLog

TIME = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}"


def written(tmp_path, level, *, append=True):
    log = RunLog(LogChoice(str(tmp_path / "log"), level, append), pytest.fail)
    log.note("Started game 1\nof 2", "info")
    log.note("a has failed", "warn")
    if log.traces:
        log.engine("a", "1764279602.214 m1 > go infinite")
        log.engine("a", "no time")
    log.close()
    return (tmp_path / "log").read_text().splitlines()


def test_the_value_has_a_file_and_settings():
    assert LogChoice.parse("l") == LogChoice("l", "info")
    assert LogChoice.parse("l,level=trace,append=false") == LogChoice("l", "trace", append=False)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "names no file; write --log-file FILE,level=trace"),
        ("l,level=trac", "level=trac is unknown; did you mean 'trace'?"),
        ("l,levl=trace", "has no 'levl'; did you mean 'level'?"),
        ("l,append=maybe", "append=maybe: write true or false"),
    ],
)
def test_what_cannot_be_read_is_refused(text, sentence):
    with pytest.raises(BadOption, match=re.escape(sentence)):
        LogChoice.parse(text)


def test_a_level_has_what_is_as_important_or_more(tmp_path):
    assert [line[24:] for line in written(tmp_path, "warn")] == ["WARN  a has failed"]
    said = ["INFO  Started game 1", "INFO  of 2", "WARN  a has failed"]
    assert [line[24:] for line in written(tmp_path, "info")] == ["WARN  a has failed", *said]
    lines = written(tmp_path, "trace", append=False)
    assert [line[24:] for line in lines] == [*said, "TRACE a m1 > go infinite", "TRACE a no time"]
    assert all(re.match(TIME, line) for line in lines)
    assert re.search(r":20:02\.214 TRACE", lines[3]) or re.search(r":\d\d:02\.214 TRACE", lines[3])


def test_a_file_that_cannot_be_written_is_refused_or_said_once(tmp_path):
    with pytest.raises(BadOption, match=r"--log-file .* cannot be written: No such file or directory"):
        RunLog(LogChoice(str(tmp_path / "none" / "log")), pytest.fail)
    said: list[str] = []
    log = RunLog(LogChoice("/dev/full"), said.append)  # a device that is full
    log.note("a", "info")
    log.note("b", "info")
    assert said == ["--log-file /dev/full is not written any more: No space left on device"]
