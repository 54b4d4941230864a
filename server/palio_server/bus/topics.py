"""The topics that Palio uses, and how a filter matches a topic (MQTT 5, section 4.7).

    palio/bot/<name>/in/<match>     to a bot, MessagePack; the match "lobby" is the conversation about joining
    palio/bot/<name>/out/<match>    from a bot, MessagePack
    palio/presence/<name>           is the bot there? retained JSON
    palio/match/<match>/event       what happens in a match, JSON
    palio/leaderboard/<game>        retained JSON
    palio/server                    is the server there? retained JSON

Names, matches and games never contain `/`, `+` or `#`: the patterns of their types forbid it.
"""

import re
from functools import lru_cache

ROOT = "palio"
ALL = f"{ROOT}/#"
BOTS = f"{ROOT}/bot/"
SERVER = f"{ROOT}/server"
LOBBY = "lobby"  # in the place of a match


def bot_in(name: str, match: str) -> str:
    """What the bot hears of `match`."""
    return f"{BOTS}{name}/in/{match}"


def bot_out(name: str, match: str) -> str:
    """What the bot says in `match`."""
    return f"{BOTS}{name}/out/{match}"


def presence(name: str) -> str:
    return f"{ROOT}/presence/{name}"


def match_event(match: str) -> str:
    return f"{ROOT}/match/{match}/event"


def leaderboard(game: str) -> str:
    return f"{ROOT}/leaderboard/{game}"


class BadFilter(ValueError):
    """A text that is no topic filter; the message says why."""


def is_wild(topic_filter: str) -> bool:
    """Whether the filter can match more than the one topic that it spells."""
    return "+" in topic_filter or "#" in topic_filter


def beginning(topic_filter: str) -> str:
    """What every topic that the filter matches begins with."""
    return re.split("[+#]", topic_filter)[0].removesuffix("/")  # `a/#` matches `a` itself


@lru_cache(maxsize=1024)
def pattern(topic_filter: str) -> re.Pattern[str]:
    """The filter as a regular expression for `fullmatch`. Raises BadFilter."""
    levels = topic_filter.split("/")
    if not topic_filter:
        raise BadFilter("a topic filter has at least one character")
    for place, level in enumerate(levels):
        if ("+" in level and level != "+") or ("#" in level and level != "#"):
            raise BadFilter(f"a wildcard fills a whole level, not a part as in {level!r} of {topic_filter!r}")
        if level == "#" and place != len(levels) - 1:
            raise BadFilter(f"# stands at the end of a filter only, not within {topic_filter!r}")
    parts = ["[^/]*" if level == "+" else re.escape(level) for level in levels if level != "#"]
    text = "/".join(parts)
    if levels[-1] == "#":
        text += "(?:/.*)?" if parts else ".*"  # `a/#` matches `a` itself
    guard = r"(?!\$)" if levels[0] in ("+", "#") else ""  # a broker's own topics ($SYS/...) are asked for by name
    return re.compile(guard + text, re.DOTALL)


def check_topic(topic: str) -> None:
    """Refuse what cannot be published to. Raises BadFilter."""
    if not topic or is_wild(topic):
        raise BadFilter(f"{topic!r} is no topic: it is empty or has a wildcard")
