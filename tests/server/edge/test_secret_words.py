"""No line of a log has a token."""

import logging

import pytest

from palio_server.log_lines import keep_out_of_logs, redacted


@pytest.mark.parametrize(
    "line",
    ["GET /ws/bot?a=1&token=s3cr3ts3cr3t HTTP/1.1", "Authorization: Bearer s3cr3ts3cr3t", "{'token': 's3cr3ts3cr3t'}"],
)
def test_no_line_keeps_a_token(line: str) -> None:
    assert "s3cr3t" not in redacted(line)


def test_every_logger_is_redacted_and_ordinary_lines_are_left_alone(caplog: pytest.LogCaptureFixture) -> None:
    before = logging.getLogRecordFactory()
    try:
        keep_out_of_logs()
        keep_out_of_logs()
        logging.getLogger("server.error").warning("%s failed: %d", "/x?token=s3cr3ts3cr3t", 3)
        logging.getLogger("other").warning("nothing %s", "special")
        logging.getLogger("other").warning("this token belongs to ann")
    finally:
        logging.setLogRecordFactory(before)
    assert caplog.messages == ["/x?*** failed: 3", "nothing special", "this token belongs to ann"]


def test_no_record_drives_a_terminal_or_passes_for_another_line(caplog: pytest.LogCaptureFixture) -> None:
    before = logging.getLogRecordFactory()
    try:
        keep_out_of_logs()
        reason = "\x1b[2J\u202e\x9b1mbad\nWARNING palio_server.arena: match m1 is void\r\x07"
        logging.getLogger("palio_server.network").warning("bot %s reports: %s", "ann", reason)
        logging.getLogger("uvicorn.error").error("Exception in ASGI application\n")
    finally:
        logging.setLogRecordFactory(before)
    first, second = caplog.messages
    assert second == "Exception in ASGI application"
    assert [line[:4] for line in first.split("\n")] == ["bot ", "    "]
    assert first.replace("\n", "").isprintable()
