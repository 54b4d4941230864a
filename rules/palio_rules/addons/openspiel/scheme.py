"""The scheme `openspiel:` for games: how `openspiel:quoridor:players=4` is read, and which game a name means."""

from typing import Any

from palio_rules.addons.openspiel.game import game_class, plain_name
from palio_rules.addons.openspiel.library import kind_of, playable
from palio_rules.errors import BadOption, quoted
from palio_rules.game import Game
from palio_rules.spec import Spec


class OpenSpiel:
    """`openspiel:NAME` and `openspiel:NAME:key=value,...` with OpenSpiel's own names."""

    needs = ("open_spiel",)

    def names(self) -> tuple[str, ...]:
        """For shells that complete them; none where OpenSpiel is not installed."""
        try:
            return playable()
        except BadOption:
            return ()

    def read(self, spec: Spec) -> Spec:
        """`players` becomes a part of the name: who sits where depends on it."""
        kind, settings = kind_of(spec.name), dict(spec.settings)
        usual = kind.parameter_specification.get("players")
        if usual is None or "players" not in settings:
            return Spec(plain_name(spec.name, usual or kind.max_num_players), settings)
        text = settings.pop("players")
        if not text.isdecimal() or not kind.min_num_players <= int(text) <= kind.max_num_players:
            span = f"{kind.min_num_players} to {kind.max_num_players}"
            raise BadOption(f"{spec.name} of OpenSpiel has {span} players, got players={quoted(text)[1:-1]}")
        return Spec(plain_name(spec.name, int(text)), settings)

    def game(self, name: str) -> Game[Any, Any]:
        return game_class(name)()
