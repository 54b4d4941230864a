"""`llm:` bots, as a user runs them: a tournament against a model that is sometimes wrong, and what is kept of it."""

import json
import random
import re
from contextlib import suppress
from pathlib import Path

import msgspec
import pytest
from command import Palio
from model_server import Asked, http_answer, in_thread
from proxy_server import proxy_in_thread
from serving import ROOT

from palio_clients.addons.llm.settings import Settings
from palio_clients.addons.llm.template import PLACEHOLDERS, parse
from palio_rules.records import Record, record_from_text

PAGE = (ROOT / "docs" / "how-to" / "language-models.md").read_text()
KEY = "sk-of-this-test-0123456789"


class Model:
    """Plays at random; its first answer in a match is illegal, and some are not a move."""

    def __init__(self) -> None:
        self._random = random.Random(1)
        self._seen: set[str] = set()
        self._count = 0

    def __call__(self, asked: Asked) -> str:
        self._count += 1
        seat = re.search(r"^You play (black|white)\.", asked.text, re.MULTILINE)[1]
        if len(asked.messages) == 2 and seat not in self._seen:
            self._seen.add(seat)
            there, _, back = asked.legal[0].replace("x", "-").partition("-")
            return f"I go back.\nMOVE: {back}-{there}"
        if self._count % 7 == 0 and len(asked.messages) == 2:
            return "I have no idea."
        return f"<think>MOVE: a1-a2</think>It looks fine.\n**MOVE:** `{self._random.choice(asked.legal)}`"


def shown(kind: str) -> str:
    """The first listing of that kind in the section."""
    return re.search(rf"```{kind}\n(.*?)```", PAGE, re.DOTALL)[1]


@pytest.fixture
def model():
    with in_thread(Model()) as found:
        yield found


def records_of(palio: Palio) -> list[Record]:
    texts = (palio.folder / "games.txt").read_text().split("\n\n[")
    return [record_from_text(text if text.startswith("[") else f"[{text}") for text in texts]


@pytest.mark.slow
def test_the_command_on_the_page_plays_to_the_end_and_the_referees_sentences_come_back(palio: Palio, model):
    palio.env["PALIO_LLM_KEY"] = KEY
    words = shown("sh").replace("\\\n", " ").replace("http://127.0.0.1:8080/v1", model.url).split()
    assert words[:2] == ["palio", "run"]
    done = palio(*(word.strip('"') for word in words[1:]), "--seed", "1", "--records", "games.txt")
    assert "Finished game 2" in done.stdout
    records = records_of(palio)
    assert [record.result.termination for record in records] == ["rule", "rule"]
    refused = [each for record in records for each in record.refusals]
    assert len(refused) == 2
    for each in refused:
        [asked] = [asked for asked in model.asked if f"The referee rejects your move: {each.reason}." in asked.last]
        assert "2 more lose the game" in asked.last
        assert asked.messages[-2]["content"].startswith("I go back.\nMOVE: ")
    assert any("That cannot be played: no move was found" in asked.last for asked in model.asked)

    told = [ply.info for record in records for ply in record.plies if record.setup.bots[ply.seat] == "tiny-1"]
    assert told
    assert all(info.text == "It looks fine." and info.latency_ms >= 0 for info in told)
    assert sum(info.tokens_in for info in told) == 100 * len(model.asked)  # wrong answers are paid for, too
    assert sum(info.cost for info in told) == pytest.approx(len(model.asked) * (100 * 0.15 + 20 * 0.6) / 1e6)

    board = json.loads(palio("leaderboard", "--game", "breakthrough", "--json").stdout)
    tiny, other = sorted(board["leaders"], key=lambda line: line["bot"] != "tiny-1")
    assert tiny["tokens_in"] == pytest.approx(100 * len(model.asked) / len(told))
    assert tiny["cost"] == pytest.approx(sum(info.cost for info in told) / 2)
    assert other["tokens_in"] is None
    assert "$ a game" in palio("leaderboard").stdout
    assert palio("verify").stdout

    assert all(asked.headers["authorization"] == f"Bearer {KEY}" for asked in model.asked)
    kept = [path for path in palio.folder.rglob("*") if path.is_file()]
    assert not [path for path in kept if KEY.encode() in path.read_bytes()]
    assert KEY not in done.stdout + done.stderr
    told = [asked.text for asked in model.asked]
    assert not [text for text in told if "random" in text]  # who plays against it is none of its business


@pytest.mark.slow
def test_a_tournament_does_not_begin_without_its_model(palio: Palio):
    """Nothing listens; the key is refused; the model is not there. Each is one sentence with the address."""
    with in_thread(lambda _: http_answer({"error": "no model of that name"}, 404)) as server:
        closed = re.sub(r":\d+/", ":9/", server.url)
        for url, listed, sentence in (
            (closed, b"", "cannot be reached: Connection refused, asked 3 times; start the model's server there"),
            (
                server.url,
                http_answer({"error": "who are you?"}, 401),
                "refuses the key (401): who are you?; set PALIO_",
            ),
            (
                server.url,
                b"",
                "no such address or model (404): no model of that name; look at the URL and model=; known",
            ),
        ):
            server.listed = listed
            done = palio("run", "breakthrough", f"llm:{url},model=nonesuch", "random", "--rounds", "1", code=2)
            assert sentence in done.stderr
            assert url.removesuffix("/v1") in done.stderr
            assert "Started game" not in done.stdout
    assert not palio.json("tournament", "list")


def command_lines() -> bytes:
    """Return the command lines that `ps` shows to all users."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            found.append(path.read_bytes())
    return b"\n".join(found)


@pytest.mark.slow
def test_neither_the_key_nor_the_proxys_login_is_found_anywhere_even_if_a_model_repeats_it(palio: Palio):
    shown: list[bytes] = []

    def parrot(asked: Asked) -> str:
        shown.append(command_lines())
        return f"I was sent {asked.headers['authorization']}.\nMOVE: {asked.legal[0]}"

    login, key = "ann:open-sesame", "sk-a-key-that-nobody-sees-0123"
    with in_thread(parrot) as model, proxy_in_thread(hosts={"models.lab:80": model.port}, login=login) as proxy:
        palio.env |= {"PALIO_LLM_KEY": key, "http_proxy": proxy.url, "no_proxy": "", "PALIO_DEBUG": "1"}
        done = palio(
            "run", "breakthrough:rows=5,cols=4", "llm:http://models.lab/v1,model=tiny", "random", "--records", "g.txt"
        )
    assert len(proxy.requests) == model.lists + len(model.asked) > 1
    assert all(asked.headers["authorization"] == f"Bearer {key}" for asked in model.asked)
    assert any(b"model=tiny" in lines for lines in shown), "its process is among those that were seen"
    texts = {"ps": b"".join(shown), "stdout": done.stdout.encode(), "stderr": done.stderr.encode()}
    for match in palio.json("match", "list"):
        texts[f"match {match['id']}"] = palio("match", "export", match["id"]).stdout.encode()
    for words in (("export", "--db", "palio.db"), ("leaderboard",)):
        texts[" ".join(words)] = palio(*words).stdout.encode()
    texts |= {str(path): path.read_bytes() for path in palio.folder.rglob("*") if path.is_file()}
    for where, text in texts.items():
        assert not [secret for secret in (key, "open-sesame", "YW5uOm9wZW4tc2VzYW1l") if secret.encode() in text], where
    assert b"I was sent Bearer ***." in texts[str(palio.folder / "g.txt")]


def test_the_template_on_the_page_is_one():
    assert "{board}" in parse(shown("text"), "mine.txt").user


def test_every_setting_on_the_page_is_one_and_every_one_is_on_the_page():
    rows = re.findall(r"^\| `(\w+)[=`]", PAGE, re.MULTILINE)
    assert sorted(rows) == sorted(field.name for field in msgspec.structs.fields(Settings))
    assert set(re.findall(r"`\{(\w+)\}`", PAGE)) == set(PLACEHOLDERS)


@pytest.mark.slow
def test_the_bot_passes_the_check_of_bots(palio: Palio):
    with in_thread(lambda asked: f"MOVE: {asked.legal[0]}") as model:
        done = palio("check-bot", f"llm:{model.url},model=tiny-1", "--game", "breakthrough")
    assert ", 0 failed" in done.stdout


@pytest.mark.slow
def test_a_key_in_a_spec_ends_the_command_before_anything_is_kept(palio: Palio):
    done = palio("run", "breakthrough", f"llm:http://127.0.0.1:9/v1,model=m,api_key={KEY}", "random", code=2)
    assert "a key has no place in a bot's spec" in done.stderr
    assert KEY not in done.stdout + done.stderr
    assert not (palio.folder / "palio.db").exists()
