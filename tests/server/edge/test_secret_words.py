"""Tokens in addresses are seen, and no log has them."""

import logging

import pytest

from palio_server.edge.secret_words import keep_out_of_logs, redacted, token_in_query


@pytest.mark.parametrize(
    "query", ["token=x", "a=1&access_token=x", "TOKEN=", "Access-Token=x", "%74oken=x", "api_key=x"]
)
def test_a_token_in_a_query_is_seen_however_it_is_written(query: str) -> None:
    assert token_in_query(query)


@pytest.mark.parametrize("query", ["", "tokens=1", "game=breakthrough&bot=token", "ply=3"])
def test_other_queries_are_none_of_its_business(query: str) -> None:
    assert token_in_query(query) is None


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
        logging.getLogger("uvicorn.error").warning("%s failed: %d", "/x?token=s3cr3ts3cr3t", 3)
        logging.getLogger("other").warning("nothing %s", "special")
        logging.getLogger("other").warning("this token belongs to ann")
    finally:
        logging.setLogRecordFactory(before)
    assert caplog.messages == ["/x?*** failed: 3", "nothing special", "this token belongs to ann"]
