"""`llm:` specs as bots: names that say the model, and never the address."""

import pytest
from model_server import http_answer, serving

from palio_clients.addons.llm.entrant import model
from palio_clients.sdk.failures import BadBot
from palio_clients.sdk.join import build_of_spec
from palio_clients.sdk.loader import load
from palio_rules.registry import games

HERE = "http://127.0.0.1:8080/v1"


@pytest.mark.parametrize(
    ("settings", "name"),
    [
        ("model=gpt-5-mini", "gpt-5-mini"),
        ("model=meta-llama/Llama-3.1:8b", "meta-llama-Llama-3.1-8b"),
        ("temperature=0.2,model=m,retries=1", "m-temperature0.2"),
        ("model=m,template=TEMPLATE", "m-templatemine"),
        ("model=模型", "bot"),
        ("model=" + "x" * 100, "x" * 33 + "-"),
    ],
)
def test_a_bot_is_called_as_its_model(settings: str, name: str, tmp_path):
    (tmp_path / "mine.txt").write_text("{board}")
    entrant = load(f"llm:{HERE},{settings}".replace("TEMPLATE", str(tmp_path / "mine.txt")))
    assert entrant.named(entrant.name).name == name or (name.endswith("-") and entrant.name.startswith(name))
    assert entrant.games == games()
    assert "127.0.0.1" not in entrant.about


def test_a_template_of_ones_own_is_read_when_the_bot_is_loaded(tmp_path):
    (tmp_path / "mine.txt").write_text("{bord}")
    with pytest.raises(BadBot, match=r"mine\.txt, line 1"):
        model(f"{HERE},model=m,template={tmp_path / 'mine.txt'}")


async def test_it_joins_only_if_its_model_can_be_asked():
    async with serving(lambda _: "") as server:
        server.listed = http_answer({}, 401)
        with pytest.raises(BadBot, match=r"^http://127\.0\.0\.1:\d+: the endpoint refuses the key"):
            async with load(f"llm:{server.url},model=m").stay():
                pass
        server.listed = b""
        entrant = load(f"llm:{server.url},model=m")
        async with entrant.stay() as make:
            assert make is entrant.make


def test_its_build_says_the_settings_and_the_template_and_no_address(tmp_path):
    file = tmp_path / "mine.txt"
    file.write_text("{board}")
    one = build_of_spec(f"llm:http://inner.example:8080/v1,model=m,template={file}")
    file.write_text("{board}!")
    assert one.startswith("llm:model=m,template=mine.txt ")
    assert "example" not in one
    assert one != build_of_spec(f"llm:http://other/v1,model=m,template={file}")
