"""The topics on which bots, servers and viewers exchange messages, on a broker and within one process.

    palio/bot/<name>/in/<match>     to a bot, MessagePack; the match "lobby" is the conversation about joining
    palio/bot/<name>/out/<match>    from a bot, MessagePack
    palio/presence/<name>           is the bot there? retained JSON
    palio/match/<match>/event       what happens in a match, JSON
    palio/leaderboard/<game>        retained JSON
    palio/server                    is the server there? retained JSON
    palio/server/stopping           it shuts down in a moment, JSON
    palio/cluster/v1/...            between servers that share the work; private

Names, matches and games never contain `/`, `+` or `#`: the patterns of their types forbid it.
"""

ROOT = "palio"
ALL = f"{ROOT}/#"
BOTS = f"{ROOT}/bot/"
SERVER = f"{ROOT}/server"
STOPPING = f"{SERVER}/stopping"
CLUSTER = f"{ROOT}/cluster/"
LOBBY = "lobby"  # in the place of a match


def bot_in(name: str, match: str) -> str:
    """Return the topic of messages to the bot about `match`."""
    return f"{BOTS}{name}/in/{match}"


def bot_out(name: str, match: str) -> str:
    """Return the topic of messages from the bot about `match`."""
    return f"{BOTS}{name}/out/{match}"


def presence(name: str) -> str:
    return f"{ROOT}/presence/{name}"


def match_event(match: str) -> str:
    return f"{ROOT}/match/{match}/event"


def leaderboard(game: str) -> str:
    return f"{ROOT}/leaderboard/{game}"
