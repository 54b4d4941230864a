"""Prints what happens to a bot: one line an event, as text or as JSON."""

import json

from palio_clients.cli.printing import say
from palio_clients.sdk import events
from palio_rules.contract.messages import GameMessage, Result

Line = tuple[str, str, dict[str, object]]  # the event's name, a sentence, the fields for programs

_EVERY_PLY = frozenset({events.Think, events.MovePlayed})  # nothing is printed about these


class EventPrinter:
    """A callable for `join(notify=...)`, which also counts the matches won, drawn and lost."""

    def __init__(self, name: str, *, quiet: bool = False, as_json: bool = False) -> None:
        self._name = name
        self._quiet = quiet
        self._as_json = as_json
        self._games: dict[str, GameMessage] = {}
        self._won = self._drawn = self._lost = 0

    def __call__(self, notice: events.Notice) -> None:
        if type(notice) in _EVERY_PLY:
            return
        line = self._trouble(notice) or self._news(notice)
        if line is not None:
            self._print(line)
        if isinstance(notice, events.Welcomed) and notice.notice:
            self._print(("warning", f"warning: {notice.notice}", {"text": notice.notice}))

    def _print(self, line: Line) -> None:
        event, sentence, fields = line
        trouble = event in ("crashed", "fault", "complaint", "refused", "warning")
        if trouble or not self._quiet:
            text = json.dumps({"event": event, **fields}) if self._as_json else sentence
            own = event in ("crashed", "fault")  # of what a server says, each sentence stays in its line
            say(text, err=trouble and not self._as_json, lines=own)

    def print_score(self) -> None:
        """The last line: matches won, drawn and lost."""
        total = self._won + self._drawn + self._lost
        if total and not self._quiet and not self._as_json:
            plural = "match" if total == 1 else "matches"
            say(f"played {total} {plural}: {self._won} won, {self._drawn} drawn, {self._lost} lost")

    def _news(self, notice: events.Notice) -> Line | None:
        match notice:
            case events.Welcomed(session, server, resumed):
                state = "the session goes on" if resumed else "welcome"
                return "welcome", f"{server}: {state}", {"session": session, "server": server, "resumed": resumed}
            case events.Connected(url):
                return "connected", f"connected to {url} as {self._name}", {"url": url, "name": self._name}
            case events.Disconnected(reason, retry):
                return "disconnected", f"{reason}; trying again in {retry:.1f} s", {"reason": reason, "retry_s": retry}
            case events.ServerStops(reason, back):
                return "stopping", f"the server stops: {reason}", {"reason": reason, "back_s": back}
            case events.GameBegins(match, game):
                return self._begins(match, game)
            case events.MatchOver(match, result):
                return self._over(match, result)
            case events.MoveRejected(match, rejected):
                sentence = (
                    f"match {match}: the move is rejected: {rejected.reason} ({rejected.strikes_left} strikes left)"
                )
                return "rejected", sentence, {"match": match, "code": rejected.code, "reason": rejected.reason}
            case events.SeatAbsent(match, message) | events.SeatBack(match, message):
                what = "absent" if isinstance(notice, events.SeatAbsent) else "back"
                left = f"with {message.grace_ms / 1000:g} s of absence left"
                fields: dict[str, object] = {"match": match, "seat": message.seat, "grace_ms": message.grace_ms}
                return what, f"match {match}: the opponent is {what}, {left}", fields
            case events.Abandoned(match, reason):
                self._games.pop(match, None)
                return "abandoned", f"match {match}: gone: {reason}", {"match": match, "reason": reason}
            case _:
                return None

    def _trouble(self, notice: events.Notice) -> Line | None:
        match notice:
            case events.Refused(code, reason):
                return "refused", f"refused: {reason}", {"code": code, "reason": reason}
            case events.Crashed(match, text):
                sentence = f"match {match}: the bot has failed, the match is given up\n{text}"
                return "crashed", sentence, {"match": match, "text": text}
            case events.Fault(text, match):
                return "fault", f"match {match}: {text}" if match else text, {"match": match, "text": text}
            case events.Complaint(error):
                sentence = f"the server complains: {error.reason} ({error.code})"
                return "complaint", sentence, {"code": error.code, "reason": error.reason}
            case events.HelloWanted(reason):
                return "complaint", reason, {"code": "mystery", "reason": reason}
            case _:
                return None

    def _begins(self, match: str, game: GameMessage) -> Line:
        self._games[match] = game
        others = [seat.bot for i, seat in enumerate(game.seats) if i != game.seat]
        seat = game.seats[game.seat].name if game.seat < len(game.seats) else str(game.seat)
        sentence = f"match {match}: {game.game} as {seat}" + (f" against {' and '.join(others)}" if others else "")
        return "game", sentence, {"match": match, "game": game.game, "seat": game.seat, "opponents": others}

    def _over(self, match: str, result: Result) -> Line:
        game = self._games.pop(match, None)
        score = result.scores[game.seat] if game and game.seat < len(result.scores) else 0.0
        best = max(result.scores, default=0.0)
        how = "lost" if score < best else "drawn" if result.scores.count(best) > 1 else "won"
        self._won += how == "won"
        self._drawn += how == "drawn"
        self._lost += how == "lost"
        why = result.reason if result.termination == "rule" else f"{result.termination}: {result.reason}"
        fields: dict[str, object] = {"match": match, "result": how, "scores": result.scores, "reason": result.reason}
        return "over", f"match {match}: {how} ({why})", {**fields, "termination": result.termination}
