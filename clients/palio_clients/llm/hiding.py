"""Secrets, and texts without them: some endpoints repeat the key that they were sent.

A text is hidden before it is cut, because half a key is a part of the key.
"""

import json

from palio_clients.llm.proxy import Proxy

LONG = 8  # characters: shorter ones, as "EMPTY" or "x" for a model of one's own, stand in honest answers, too
STARS = "***"


class Hiding:
    """Replaces what nobody shall read: the key, and what the proxy's URL holds."""

    def __init__(self, key: str = "", proxy: Proxy | None = None) -> None:
        secrets = [key, *((proxy.credentials, proxy.password) if proxy is not None else ())]
        forms = {form for each in secrets for form in (each, json.dumps(each)[1:-1], repr(each)[1:-1])}
        self._secrets = sorted(filter(None, forms), key=len, reverse=True)

    def __repr__(self) -> str:
        return f"Hiding({len(self._secrets)})"

    def sentence(self, text: str) -> str:
        """Words about what is wrong, without any secret."""
        for secret in self._secrets:
            text = text.replace(secret, STARS)
        return text

    def answer(self, text: str) -> str:
        """Words of a model, in which moves are looked for: without long secrets."""
        for secret in self._secrets:
            if len(secret) >= LONG:
                text = text.replace(secret, STARS)
        return text
