"""Requests and answers of chat completions, as servers really send them, and as they should not."""

import http.client
import json
from contextlib import suppress
from io import BytesIO

import pytest
from model_server import completion

from palio_clients.addons.llm.http import EndpointFailed, Passing, Response, Unsupported
from palio_clients.addons.llm.model import read_reply, request
from palio_clients.addons.llm.settings import Settings


def answered(body, status: int = 200, **headers: str) -> Response:
    lines = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in headers.items())
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    return Response(status, http.client.parse_headers(BytesIO(f"{lines}\r\n".encode())), data)


def said(message: dict, **more):
    return read_reply(answered({"choices": [{"message": message}], **more}))


def test_a_request_has_what_was_set_and_nothing_else():
    messages = [{"role": "user", "content": "x"}]
    assert json.loads(request(Settings(model="m"), messages)) == {"model": "m", "messages": messages}
    full = json.loads(request(Settings(model="m", temperature=0.5, max_tokens=9, seed=3), messages))
    assert (full["temperature"], full["max_tokens"], full["seed"]) == (0.5, 9, 3)


def test_a_parameter_that_is_refused_is_left_out_and_the_bound_of_tokens_renamed():
    settings = Settings(model="m", temperature=0.5, max_tokens=9)
    body = json.loads(request(settings, [], {"temperature", "max_tokens"}))
    assert body == {"model": "m", "messages": [], "max_completion_tokens": 9}
    assert "max_completion_tokens" not in json.loads(request(settings, [], {"max_tokens", "max_completion_tokens"}))


def test_an_answer_has_its_text_and_its_tokens():
    data = completion("hello", tokens=(7, 3)).partition(b"\r\n\r\n")[2]
    assert read_reply(answered(data)) == ("hello", 7, 3, False)


@pytest.mark.parametrize(
    ("message", "text"),
    [
        ({"content": [{"type": "text", "text": "a"}, {"type": "image_url"}, {"type": "text", "text": "b"}]}, "ab"),
        ({"content": None, "refusal": "I cannot"}, "I cannot"),
        (
            {"content": None, "tool_calls": [{"function": {"name": "play", "arguments": '{"move": "a"}'}}]},
            '{"move": "a"}',
        ),
        ({"content": "", "tool_calls": [{"function": {"arguments": {"move": "a"}}}]}, '{"move": "a"}'),
        ({"content": None, "function_call": {"arguments": '{"move": "b"}'}}, '{"move": "b"}'),
        ({"content": "x", "reasoning_content": "MOVE: y"}, "x"),
        ({"content": "half \ud83d"}, "half ?"),
        ({"content": 7}, ""),
        ({"content": {"text": "a"}}, ""),
        ({}, ""),
        ({"content": None, "tool_calls": "none"}, ""),
    ],
)
def test_text_is_found_wherever_servers_put_it(message, text):
    assert said(message).text == text


@pytest.mark.parametrize("choices", [[], None, "x", [None], [{}], [{"message": "x"}]])
def test_an_answer_without_a_choice_is_empty(choices):
    assert read_reply(answered({"choices": choices})).text == ""


@pytest.mark.parametrize(
    "usage",
    [None, [], {"prompt_tokens": "7"}, {"prompt_tokens": -1}, {"prompt_tokens": 10**30}, {"prompt_tokens": True}],
)
def test_tokens_that_make_no_sense_are_not_known(usage):
    assert said({"content": "x"}, usage=usage)[1:3] == (None, None)


def test_an_answer_that_was_cut_off_says_so():
    body = {"choices": [{"message": {"content": "x"}, "finish_reason": "length"}]}
    assert read_reply(answered(body)).cut


@pytest.mark.parametrize(
    "data", ["ü".encode(), '{"choices": [{"message": {"content": "ü"}}]}'.encode("utf-16"), b"\xff\xfe\x00"]
)
def test_bytes_in_a_wrong_charset_end_in_a_text_or_a_sentence(data):
    with suppress(Passing):  # of which a sentence says that it is no JSON
        assert read_reply(answered(data, Content_Type="application/json; charset=latin-9")).text == "ü"


@pytest.mark.parametrize(
    "data", [b"", b"<html>502</html>", b"[]", b"null", b'"x"', b"[" * 100_000, b'{"a": NaN', b"\x00" * 50]
)
def test_what_is_no_json_object_may_be_asked_for_again(data):
    with pytest.raises(Passing, match="no JSON object"):
        read_reply(answered(data))


def test_an_error_with_status_200_is_one():
    with pytest.raises(Passing, match="overloaded"):
        read_reply(answered({"error": {"message": "overloaded", "code": 502}}))


@pytest.mark.parametrize(
    ("status", "kind", "words"),
    [
        (401, EndpointFailed, "refuses the key"),
        (403, EndpointFailed, "refuses the key"),
        (404, EndpointFailed, "no such address or model"),
        (400, EndpointFailed, "answers 400: too hot"),
        (308, EndpointFailed, "has moved"),
        (429, Passing, "429: too hot"),
        (500, Passing, "500"),
        (503, Passing, "503"),
        (529, Passing, "529"),
    ],
)
def test_a_status_says_whether_to_ask_again(status, kind, words):
    with pytest.raises(EndpointFailed, match=words) as raised:
        read_reply(answered({"error": {"message": "too hot"}}, status))
    assert type(raised.value) is kind


def test_no_credit_is_not_worth_another_try():
    with pytest.raises(EndpointFailed, match="no credit") as raised:
        read_reply(answered({"error": {"message": "You exceeded your quota", "code": "insufficient_quota"}}, 429))
    assert not isinstance(raised.value, Passing)


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("0", 0.0),
        ("1.5", 1.5),
        ("-3", 0.0),
        ("1e99", 3600.0),
        ("nan", None),
        ("soon", None),
        ("Wed, 21 Oct 2015 07:28:00 GMT", 0.0),
        ("Wed, 21 Oct 2015 07:28:00 -0000", None),
    ],
)
def test_retry_after_is_read_as_seconds_or_as_a_date(value, seconds):
    with pytest.raises(Passing) as raised:
        read_reply(answered({}, 429, Retry_After=value))
    assert raised.value.after_s == seconds


@pytest.mark.parametrize(
    ("error", "parameter"),
    [
        (
            {
                "message": "Unsupported parameter: 'max_tokens' … Use 'max_completion_tokens' instead.",
                "param": "max_tokens",
            },
            "max_tokens",
        ),
        ({"message": "Unsupported value: 'temperature' does not support 0.2", "param": "temperature"}, "temperature"),
        ({"message": "seed is not allowed here"}, "seed"),
    ],
)
def test_a_refused_parameter_is_named(error, parameter):
    with pytest.raises(Unsupported) as raised:
        read_reply(answered({"error": error}, 400), ["max_tokens", "temperature", "seed"])
    assert raised.value.parameter == parameter


def test_a_parameter_that_was_not_sent_is_not_to_be_left_out():
    with pytest.raises(EndpointFailed) as raised:
        read_reply(answered({"error": {"message": "temperature is missing", "param": "temperature"}}, 400), ["seed"])
    assert not isinstance(raised.value, Unsupported)


def test_an_endpoints_own_words_are_one_short_line():
    with pytest.raises(EndpointFailed) as raised:
        read_reply(answered({"error": {"message": "a\n\x1b[31mb" * 1000}}, 400))
    assert len(str(raised.value)) < 400
    assert str(raised.value).isprintable()
