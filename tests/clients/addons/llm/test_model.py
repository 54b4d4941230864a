"""A model is asked again while that may help, what it cost is counted, and its key is never said."""

import asyncio

import pytest
from model_server import completion, http_answer, serving

from palio_clients.addons.llm.http import EndpointFailed, Passing
from palio_clients.addons.llm.model import Model
from palio_clients.addons.llm.settings import read
from palio_clients.sdk.failures import LIMITS

QUESTION = [{"role": "user", "content": "?"}]
KEY = "sk-very-secret-0123456789"


class Waits(list):
    async def __call__(self, seconds: float) -> None:
        self.append(seconds)


async def ask(*answers, more: str = "", times: int = 1):
    """What the model says to a question, or the error; the requests; how long was waited."""
    left, waits = list(answers), Waits()
    async with serving(lambda _: left.pop(0)) as server:
        model = Model(*read(f"{server.url},model=m{more}"), KEY, sleep=waits)
        try:
            for _ in range(times):
                found = await model.ask(QUESTION)
        except EndpointFailed as error:
            found = error
        return found, server.asked, waits, model


async def test_an_answer_is_counted_with_its_tokens_and_its_time():
    reply, asked, _, model = await ask(completion("hello", tokens=(7, 3)), completion("x", tokens=(1, 1)), times=2)
    assert reply.text == "x"
    assert asked[0].body == {"model": "m", "messages": QUESTION}
    assert asked[0].headers["authorization"] == f"Bearer {KEY}"
    assert (model.usage.tokens_in, model.usage.tokens_out, model.usage.counted) == (8, 4, True)
    assert model.usage.ms >= 0


async def test_an_endpoint_that_counts_no_tokens_is_known_for_it():
    assert (await ask(completion("x", tokens=None)))[3].usage.counted is False


@pytest.mark.parametrize(
    "failing", [http_answer({}, 500), http_answer(b"<html>", 502), None, http_answer(b"{", 200), b"nonsense\r\n\r\n"]
)
async def test_what_may_pass_is_asked_for_again(failing):
    reply, asked, waits, _ = await ask(failing, failing, "hello")
    assert reply.text == "hello"
    assert len(asked) == 3
    assert 0 < waits[0] < waits[1] * 2


async def test_after_so_many_retries_the_last_failure_is_told():
    error, asked, _, _ = await ask(*[http_answer({"error": {"message": "no room"}}, 503)] * 3)
    assert isinstance(error, Passing)
    assert str(error) == "the endpoint answers 503: no room, asked 3 times"
    assert len(asked) == 3


async def test_a_busy_endpoint_says_when_to_come_back():
    reply, _, waits, _ = await ask(http_answer({}, 429, Retry_After="7"), "hello")
    assert reply.text == "hello"
    assert waits == [7.0]


@pytest.mark.parametrize("status", [400, 401, 403, 404])
async def test_what_will_not_pass_is_asked_for_once(status: int):
    error, asked, waits, _ = await ask(http_answer({"error": {"message": "no"}}, status))
    assert not isinstance(error, Passing)
    assert (len(asked), waits) == (1, [])


async def test_a_key_that_an_endpoint_repeats_is_not_repeated_by_us():
    for answer in (http_answer({"error": {"message": f"wrong key: {KEY}"}}, 401), http_answer({"error": KEY}, 500)):
        error, *_, model = await ask(answer, more=",retries=0")
        assert KEY not in str(error)
        assert "***" in str(error)
        assert KEY not in repr(model)


async def test_the_other_name_of_the_bound_of_tokens_is_tried(capsys):
    refusal = http_answer({"error": {"message": "use max_completion_tokens", "param": "max_tokens"}}, 400)
    reply, asked, _, _ = await ask(refusal, "hello", "again", more=",max_tokens=50", times=2)
    assert reply.text == "again"
    assert [request.body.get("max_tokens") for request in asked] == [50, None, None]
    assert [request.body.get("max_completion_tokens") for request in asked] == [None, 50, 50]
    assert capsys.readouterr().err == ""


async def test_a_temperature_that_is_refused_is_left_out_and_that_is_said(capsys):
    refusal = http_answer({"error": {"message": "Unsupported value", "param": "temperature"}}, 400)
    reply, asked, _, _ = await ask(refusal, "hello", more=",temperature=0.1")
    assert reply.text == "hello"
    assert "temperature" not in asked[1].body
    assert "remark: llm: m is asked without temperature" in capsys.readouterr().err


async def test_a_parameter_is_left_out_once_only():
    refusal = http_answer({"error": {"param": "seed"}}, 400)
    error, asked, _, _ = await ask(refusal, refusal, more=",seed=1")
    assert isinstance(error, EndpointFailed)
    assert len(asked) == 2


async def test_an_answer_that_takes_too_long_is_not_waited_for():
    async def drip(_):
        yield b"HTTP/1.1 200 OK\r\n\r\n"
        await asyncio.Event().wait()

    error, _, _, model = await ask(drip(None), more=",timeout_s=0.1,retries=0")
    assert "no answer within 0.1 s (timeout_s)" in str(error)
    assert model.usage.ms >= 100


async def test_in_a_sandbox_the_network_is_named(monkeypatch):
    monkeypatch.setenv(LIMITS, "memory 1G")
    error, *_ = await ask(None, more=",retries=0")
    assert "only a bot whose spec ends in @network has the network" in str(error)


NO_MODEL = http_answer({"error": {"message": "The model `n` does not exist"}}, 404)


async def check(listed: bytes, *answers, model: str = "n", retries: int = 0):
    """Check an endpoint; return the sentence about it, None if it can be asked, and its server."""
    left = list(answers)
    async with serving(lambda _: left.pop(0)) as server:
        server.listed = listed
        checked = Model(*read(f"{server.url},model={model},retries={retries}"), KEY, sleep=Waits())
        try:
            await checked.check()
        except EndpointFailed as error:
            return str(error), server
        return None, server


async def test_an_endpoint_that_lists_the_model_is_asked_nothing_else():
    fault, server = await check(b"", model="m")
    assert fault is None
    assert (server.lists, server.asked) == (1, [])


@pytest.mark.parametrize(
    ("listed", "answer"),
    [
        (http_answer({"data": [{"id": "other"}]}), completion("yes")),  # an alias, or a model that is loaded on demand
        (http_answer({}, 404), completion("yes")),
        (http_answer(b"<html>"), completion("yes")),
        (http_answer({"data": [None, {"id": 7}]}), http_answer({"error": "loading"}, 503)),
        (http_answer({"error": "busy"}, 503), None),
    ],
)
async def test_where_the_list_says_nothing_of_the_model_one_question_decides(listed, answer):
    fault, server = await check(listed, answer)
    assert fault is None
    assert len(server.asked) == 1


async def test_a_model_that_an_endpoint_has_not_is_found_with_the_nearest_one():
    fault, server = await check(http_answer({"data": [{"id": "tiny-1"}]}), NO_MODEL, model="tiny1")
    assert fault.startswith(f"http://127.0.0.1:{server.port}, model tiny1: the endpoint knows no such address or model")
    assert fault.endswith("look at the URL and model=; did you mean 'tiny-1'?")


async def test_a_refused_key_is_found_by_the_list_and_not_repeated():
    fault, server = await check(http_answer({"error": f"not {KEY}"}, 401))
    assert fault.startswith(f"http://127.0.0.1:{server.port}: the endpoint refuses the key (401)")
    assert fault.endswith("set PALIO_LLM_KEY or key_env=VARIABLE")
    assert KEY not in fault
    assert server.asked == []


async def test_an_endpoint_where_nothing_answers_is_tried_again_and_named():
    async with serving(lambda _: "") as server:
        closed = server.url
    waits = Waits()
    with pytest.raises(EndpointFailed, match=r"127\.0\.0\.1.* cannot be reached: .*, asked 3 times; start the model's"):
        await Model(*read(f"{closed},model=m"), KEY, sleep=waits).check()
    assert len(waits) == 2


async def test_an_endpoint_that_is_silent_is_given_up(monkeypatch):
    async def silent(*_):
        await asyncio.sleep(60)

    monkeypatch.setattr("palio_clients.addons.llm.http.get", silent)
    monkeypatch.setattr("palio_clients.addons.llm.model.LIST_S", 0.01)
    with pytest.raises(EndpointFailed, match=r"http://h has not answered within 0\.01 s; correct the URL, or start"):
        await Model(*read("http://h/v1,model=m")).check()
