"""The spec of a bot that asks a language model, as both sides read it: `llm:http://127.0.0.1:8080/v1,model=NAME,…`.

This module tells the bot's name, which never contains the address, and whether the spec contains a secret. Specs appear
in process lists, logs and records, so a key is refused there: it comes from the environment.
"""

import re
from collections.abc import Iterator, Mapping
from urllib.parse import parse_qsl, urlsplit

from palio_rules.errors import BadOption

SCHEME = "llm"
USUAL_KEYS = ("PALIO_LLM_KEY", "OPENAI_API_KEY")  # environment variables; the first that is set counts
_SECRET = re.compile(r"(?:^|[_-])(?:key|keys|apikey|token|secret|password|passwd|authorization|auth|bearer)$")
_LOOKS_SECRET = re.compile(r"\b(?:sk|gsk|xai|hf|pk|key)[-_][A-Za-z0-9_-]{12,}|\bBearer\b|\bAIza[\w-]{20,}")
NAMED = ("temperature", "seed", "max_tokens", "think", "template")  # settings that make it another player


def parts_of(rest: str) -> tuple[str, list[tuple[str, str, str]]]:
    """Return the address and, for each setting, its name, "=" if there was one, and its value, all unchecked."""
    address, *settings = (part.strip() for part in rest.split(","))
    return address, [tuple(piece.strip() for piece in setting.partition("=")) for setting in settings]  # type: ignore[misc]


def check_no_secret(rest: str) -> None:
    """Raise BadOption if a key stands in `rest`, the text after `llm:`. The message does not repeat it."""
    for where in _secrets(rest):
        raise BadOption(
            f"a key has no place in a bot's spec, where everybody reads it ({where}); put it into the environment "
            f"variable {USUAL_KEYS[0]}, or into another one with key_env=VARIABLE"
        )


def _secrets(rest: str) -> Iterator[str]:
    address, settings = parts_of(rest)
    try:
        url = urlsplit(address)
    except ValueError:
        url = urlsplit("")
    if url.username is not None or url.password is not None:
        yield "a user's name or password in the URL"
    for name, _ in parse_qsl(url.query):
        if _SECRET.search(name.lower()):
            yield f"{name[:20]}= in the URL"
    if _LOOKS_SECRET.search(address):
        yield "in the URL"
    for name, _, value in settings:
        if _SECRET.search(name.lower().replace(" ", "_")):
            yield f"the setting {name[:20]}"
        elif _LOOKS_SECRET.search(name) or _LOOKS_SECRET.search(value):
            yield "what looks like one" if _LOOKS_SECRET.search(name) else f"what looks like one in {name[:20]}"


def key_variables(spec: str, environ: Mapping[str, str]) -> tuple[str, ...]:
    """Return the variables of which one must hold a key where the bot runs; () if it needs none or asks no model.

    A bot that names its variable needs it. Another bot needs a key on another machine if it would find one in
    `environ`. OpenAI's own key is sent over `https` only.
    """
    scheme, _, rest = spec.partition(":")
    if scheme != SCHEME:
        return ()
    address, settings = parts_of(rest)
    named = next((value for name, _, value in settings if name == "key_env"), "")
    if named:
        return (named,)
    usual = USUAL_KEYS if address.startswith("https:") else USUAL_KEYS[:1]
    return usual if any(environ.get(name, "").strip() for name in usual) else ()


def words_of(rest: str) -> list[str]:
    """Return the words of the default name: the model, and the settings that make it another player; [] without one."""
    known = {name: value for name, _, value in parts_of(rest)[1]}
    if not known.get("model"):
        return []
    return [known["model"].replace("/", "-"), *(f"{name}{_stem(known[name])}" for name in NAMED if known.get(name))]


def _stem(value: str) -> str:
    return re.sub(r"\.txt$", "", re.split(r"[/\\]", value)[-1])


def without_address(rest: str) -> str:
    """Return the spec without the address of its model, which is private."""
    return ",".join(f"{name}{equals}{value}" for name, equals, value in parts_of(rest)[1])
