"""How the keys that a match and a tournament have in common are written, for whoever has written them otherwise."""

WRITE = {
    "game": '"game": "breakthrough"; /api/games lists them',
    "bots": '"bots": ["ann", "bob"]; /api/bots lists them',
    "options": '"options": {"rows": 8}; /api/games has those of each game',
    "tc": '"tc": "10+0.1", seconds+increment',
    "st": '"st": 0.5, seconds a move',
    "time": '"tc": "10+0.1" (seconds+increment), "st": 0.5 (seconds a move), '
    'or "time": {"base_ms": 10000, "increment_ms": 100}',
    "seed": '"seed": 1',
    "strikes": '"strikes": 3',
    "max_plies": '"max_plies": 500',
    "by_time": '"by_time": true',
}
MEANT = {
    **dict.fromkeys(("timecontrol", "time_control", "clock", "clocks", "seconds"), "time"),
    **dict.fromkeys(("players", "entrants", "names"), "bots"),
    **dict.fromkeys(("option", "setup", "instance"), "options"),
}
