"""From `URL,key=value,…` to the settings of an `llm:` bot."""

import os
import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal
from urllib.parse import SplitResult, urlsplit

import msgspec
from msgspec import Meta

from palio_clients.sdk.failures import BadBot
from palio_rules.contract import llm_specs
from palio_rules.contract.llm_specs import USUAL_KEYS
from palio_rules.errors import BadOption, nearest, quoted

EXAMPLE = "llm:http://127.0.0.1:8080/v1,model=NAME"
LOCAL = ("localhost", "127.0.0.1", "::1")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")

Price = Annotated[float, Meta(ge=0, le=1_000_000)]


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """All settings, as documented in docs/how-to/language-models.md."""

    model: Annotated[str, Meta(min_length=1, max_length=200)]
    temperature: Annotated[float, Meta(ge=0, le=2)] | None = None  # None: the endpoint's own
    max_tokens: Annotated[int, Meta(ge=1, le=1_000_000)] | None = None  # of an answer; None: the endpoint's own
    seed: Annotated[int, Meta(ge=-(2**53), le=2**53)] | None = None
    timeout_s: Annotated[float, Meta(ge=0.1, le=86_400)] = 60.0  # for one answer
    retries: Annotated[int, Meta(ge=0, le=20)] = 2  # of a request that fails; of answers without a move, for one move
    think: Literal["ignore", "read"] = "ignore"  # what stands between <think> and </think>
    check: Literal["referee", "local"] = "referee"  # who is asked first whether a move is legal
    give_up: Literal["resign", "random"] = "resign"  # where there is no move in the end
    solutions: Annotated[int, Meta(ge=1, le=100)] = 3  # in an anytime race: how many it submits at most
    price_in: Price | None = None  # dollars for a million tokens that the model reads
    price_out: Price | None = None  # and for a million that it writes
    key_env: str = ""  # the environment variable that has the key; "": the usual ones
    template: str = ""  # a file of one's own; "": those that ship

    def cost(self, tokens_in: int, tokens_out: int) -> float | None:
        """Return the cost of so many tokens, in dollars; None without a price."""
        if self.price_in is None and self.price_out is None:
            return None
        return (tokens_in * (self.price_in or 0.0) + tokens_out * (self.price_out or 0.0)) / 1e6


def authority(host: str, port: int, *, tls: bool) -> str:
    """Host and port as URLs have them, without the usual port."""
    name = f"[{host}]" if ":" in host else host
    return name if port == (443 if tls else 80) else f"{name}:{port}"


class Endpoint(msgspec.Struct, frozen=True):
    """The URL at which chat completions are asked for."""

    host: str
    port: int
    tls: bool
    path: str  # with the query

    @property
    def models_path(self) -> str:
        """The path at which the endpoint lists its models, with the query."""
        path, mark, query = self.path.partition("?")
        return f"{path.removesuffix('/chat/completions')}/models{mark}{query}"

    @property
    def authority(self) -> str:
        """As the `Host` header has it."""
        return authority(self.host, self.port, tls=self.tls)

    def __str__(self) -> str:
        return f"{'https' if self.tls else 'http'}://{self.authority}"


def read(rest: str) -> tuple[Endpoint, Settings]:
    """Read what follows `llm:`. Raises BadBot: one sentence with the remedy, which never repeats a key."""
    try:
        llm_specs.check_no_secret(rest)
    except BadOption as error:
        raise BadBot(str(error)) from None
    address, settings = llm_specs.parts_of(rest)
    if not address or ("=" in address and "://" not in address):
        raise BadBot(f"llm:{rest[:60]} names no endpoint; write its URL first, as in {EXAMPLE}")
    return _endpoint(address), _settings(settings)


def _endpoint(address: str) -> Endpoint:
    try:
        url = urlsplit(address)
        port = url.port
    except ValueError as error:
        raise BadBot(f"{quoted(address)} is no URL: {error}; write one as in {EXAMPLE}") from None
    if url.scheme not in ("http", "https") or not url.hostname:
        raise BadBot(f"{quoted(address)} is no URL of an endpoint; write http:// or https://, as in {EXAMPLE}")
    if not address.isascii() or not address.isprintable() or " " in address:
        raise BadBot(f"{quoted(address)} has characters that no URL has; write them as %XX")
    if url.fragment:
        raise BadBot(f"{quoted(address)} has a part after #, which no endpoint is sent; leave it out")
    return Endpoint(url.hostname, port or (443 if url.scheme == "https" else 80), url.scheme == "https", _path(url))


def _path(url: SplitResult) -> str:
    """`/chat/completions` below the base path, which may have been given in full."""
    base = url.path.rstrip("/").removesuffix("/chat/completions")
    return f"{base}/chat/completions" + (f"?{url.query}" if url.query else "")


def _settings(given: list[tuple[str, str, str]]) -> Settings:
    known = {field.name: field for field in msgspec.structs.fields(Settings)}
    values: dict[str, Any] = {}
    for name, equals, value in given:
        if not name or not equals or not value:
            raise BadBot(f"{quoted(name + equals + value)} is no setting of llm:; write key=value, divided by commas")
        if name not in known:
            raise BadBot(f"llm: has no setting {quoted(name)}; {nearest(name, known)}")
        if name in values:
            raise BadBot(f"llm: sets {quoted(name)} twice; keep one of them")
        try:
            values[name] = msgspec.convert(value, known[name].type, strict=False)
        except msgspec.ValidationError as error:
            allowed = getattr(known[name].type, "__args__", ())
            reason = (
                nearest(value, allowed) if value and allowed and all(isinstance(each, str) for each in allowed) else ""
            )
            text = reason or f"{str(error)[:1].lower()}{str(error)[1:]}"
            raise BadBot(f"llm: setting {name}={quoted(value)}: {text}") from None
    if "model" not in values:
        raise BadBot(f"llm: needs the setting 'model'; add model=NAME, as in {EXAMPLE}")
    if not _VARIABLE.fullmatch(values.get("key_env", "_")):
        raise BadBot(
            "llm: setting key_env is no name of an environment variable; write key_env=OPENAI_API_KEY, not a key"
        )
    return Settings(**values)


def key(settings: Settings, endpoint: Endpoint, environ: Mapping[str, str] = os.environ) -> str:
    """The key to send, from the environment; "" for none. Raises BadBot, without saying the key.

    A key that the environment has for OpenAI itself goes nowhere unencrypted, except to this machine.
    """
    names = (settings.key_env,) if settings.key_env else USUAL_KEYS
    name = next((each for each in names if environ.get(each, "").strip()), "")
    if settings.key_env and not name:
        raise BadBot(
            f"the environment has no {settings.key_env}, from which llm: is to take the key; set and export it"
        )
    if name == "OPENAI_API_KEY" and not settings.key_env and not endpoint.tls and endpoint.host not in LOCAL:
        return ""
    found = environ.get(name, "").strip() if name else ""
    if not found.isascii() or not found.isprintable() or " " in found:
        raise BadBot(f"what {name} holds is no key: it has characters that no key has; set it anew")
    return found
