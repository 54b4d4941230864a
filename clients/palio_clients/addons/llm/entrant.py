"""From `llm:URL,model=NAME,…` to a bot."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

from palio_clients.addons.llm import template
from palio_clients.addons.llm.bot import LlmBot
from palio_clients.addons.llm.http import EndpointFailed, proxy
from palio_clients.addons.llm.model import Model
from palio_clients.addons.llm.settings import Settings, key, read
from palio_clients.sdk.failures import BadBot
from palio_clients.sdk.loader import Entrant, Make, entrant_of, usual_name
from palio_rules.completing import completed_by
from palio_rules.completing import settings as completed_settings
from palio_rules.contract.llm_specs import SCHEME


def completions(typed: str) -> list[str]:
    """Complete a spec: settings follow the endpoint's URL."""
    url, comma, rest = typed.partition(",")
    return completed_settings(Settings.__struct_fields__, rest, f"{url},") if comma else []


@completed_by(completions)
def model(spec: str) -> Entrant:
    """The bot that `llm:` and `spec` name. Raises BadBot: one sentence with the remedy.

    Nothing is asked yet; `stay`, with which a bot joins, raises BadBot if the model cannot be asked.
    """
    endpoint, settings = read(spec)
    secret, between = key(settings, endpoint), proxy(endpoint)
    own = template.read(settings.template) if settings.template else None

    def asking() -> Model:
        return Model(endpoint, settings, secret, between)

    def made() -> LlmBot:
        return LlmBot(asking, lambda game: own or template.shipped(game))

    found = entrant_of(LlmBot, made, usual_name(f"{SCHEME}:{spec}"))

    @asynccontextmanager
    async def checked() -> AsyncIterator[Make]:
        try:
            await asking().check()
        except EndpointFailed as error:
            raise BadBot(str(error)) from None
        yield found.make

    return replace(found, about=f"Asks the language model {settings.model}."[:200], staying=checked)
