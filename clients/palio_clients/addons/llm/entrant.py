"""From `llm:URL,model=NAME,…` to a bot."""

from dataclasses import replace

from palio_clients.addons.llm import template
from palio_clients.addons.llm.bot import LlmBot
from palio_clients.addons.llm.http import proxy
from palio_clients.addons.llm.model import Model
from palio_clients.addons.llm.settings import Settings, key, read
from palio_clients.sdk.loader import Entrant, entrant_of, name_from
from palio_rules.completing import completed_by
from palio_rules.completing import settings as completed_settings
from palio_rules.contract.llm_specs import name_of


def completions(typed: str) -> list[str]:
    """Complete a spec: settings follow the endpoint's URL."""
    url, comma, rest = typed.partition(",")
    return completed_settings(Settings.__struct_fields__, rest, f"{url},") if comma else []


@completed_by(completions)
def model(spec: str) -> Entrant:
    """The bot that `llm:` and `spec` name. Raises BadBot: one sentence with the remedy. Nothing is asked yet."""
    endpoint, settings = read(spec)
    secret, between = key(settings, endpoint), proxy(endpoint)
    own = template.read(settings.template) if settings.template else None

    def made() -> LlmBot:
        return LlmBot(lambda: Model(endpoint, settings, secret, between), lambda game: own or template.shipped(game))

    found = entrant_of(LlmBot, made, name_from(name_of(spec)))
    return replace(found, about=f"Asks the language model {settings.model}."[:200])
