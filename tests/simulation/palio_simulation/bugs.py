"""The bugs that the simulation is judged by."""

from palio_simulation.planted import Bug, Edit

_GROUP, _FINISHING, _CLAIMING = "palio_db.group", "palio_db.group", "palio_db.group"
_TURNS, _CHANNEL = "palio_server.match.turns", "palio_server.arena.bus_channel"
_MATCH, _LEASES = "palio_server.arena.running_match", "palio_server.arena.next_matches"

_IS_HELD = Edit(_GROUP, "match in held and held[match].epoch == epoch", "match in held")
_OWN_CLOCK = "str(work.moment.timestamp())"
_CLOCK = "\"((julianday('now') - 2440587.5) * 86400.0)\""

BUGS = {
    bug.name: bug
    for bug in (
        Bug(
            "epoch-unchecked",
            "whoever has ever held a match may write its result",
            Edit(_FINISHING, "if held is None or held.epoch != claim.epoch:", "if held is None:"),
            Edit(_FINISHING, "id = ? AND epoch = ? AND status = 'running'", "id = ? AND ? > 0 AND status = 'running'"),
        ),
        Bug("epoch-unchecked-in-journal", "whoever has ever held a match may write its journal and renew", _IS_HELD),
        Bug(
            "announced-first",
            "bots hear of a result before it is committed",
            Edit(
                _MATCH,
                "await self._settle(finished)\n        refereed.announce()",
                "refereed.announce()\n        await self._settle(finished)",
            ),
        ),
        Bug(
            "no-retry",
            "a result whose commit was not answered is not written again",
            Edit(
                _MATCH,
                'return await until_database_answers(f"match {self.claim.match} waits to be committed", attempt)',
                "return await attempt()",
            ),
        ),
        Bug(
            "retry-refused",
            "a result that is written again is taken for somebody else's",
            Edit(_FINISHING, "if is_same(record, data):", "if record is data:"),
        ),
        Bug(
            "counted-twice",
            "a result that is written again counts again",
            Edit(
                _FINISHING,
                "if is_same(record, data):\n        return False",
                "if is_same(record, data):\n        return True",
            ),
            Edit(_GROUP, "del held[work.claim.match]", "held.pop(work.claim.match, None)"),
        ),
        Bug(
            "own-clock",
            "a lease is over when the clock of whoever wants it says so",
            Edit(_CLAIMING, "rows(ORPHANED, ", f"rows(Sql(ORPHANED.sqlite.replace({_CLOCK}, {_OWN_CLOCK}), ''), "),
            Edit(
                "palio_db.claims",  # where they are looked for first
                "rows(ORPHANS, ",
                f"rows(Sql(ORPHANS.sqlite.replace({_CLOCK}, str(now().timestamp())), ''), ",
            ),
        ),
        Bug(
            "own-clock-in-the-lease",
            "a lease ends by the clock of whoever takes it",
            Edit(_CLAIMING, "rows(take, ", f"rows(Sql(take.sqlite.replace({_CLOCK}, {_OWN_CLOCK}), ''), "),
        ),
        Bug(
            "move-twice",
            "a move is played though it answers an earlier turn",
            Edit(
                _TURNS,
                "turn is None or message.id != self._turn_id or seat != turn.seat",
                "turn is None or seat != turn.seat",
            ),
        ),
        Bug(
            "ply-forgotten",
            "a match that is taken up again goes on from before its last journaled ply",
            Edit(_CLAIMING, "journal=journal,", "journal=journal[:-1],"),
        ),
        Bug(
            "over-lost",
            "only the first seat hears of the end",
            Edit(
                _TURNS,
                "for seat in range(len(self._rules.seats)):\n            self._post(seat, over",
                "for seat in range(1):\n            self._post(seat, over",
            ),
        ),
        Bug(
            "read-time-counts",
            "a message counts when it is read, not when it came",
            Edit(_CHANNEL, "at = envelope.at or self.time()", "at = self.time()"),
        ),
        Bug(
            "margin-forgotten",
            "a bot forfeits though it has answered within the margin for the network",
            Edit("palio_server.match.clock", "(limit + self._margins_ms[seat]) / 1000", "limit / 1000"),
        ),
        Bug(
            "clock-starts-again",
            "a turn that is sent again begins anew",
            Edit(
                _TURNS,
                "turn.resend_at = at + self._resend_s",
                "turn.resend_at = at + self._resend_s; turn.posted_at = at",
            ),
        ),
        Bug(
            "two-in-a-seat",
            "a seat is given to a second connection of its bot",
            Edit(
                "palio_server.lobby.listing",
                "if reservation is None or reservation.holders.get(session.name, session) is not None:",
                "if reservation is None:",
            ),
        ),
        Bug(
            "called-off-by-a-stranger",
            "whoever has lost a match to another server aborts it",
            Edit(
                _MATCH,
                "except LeaseLost:\n            self._drop()",
                "except LeaseLost:\n            await self._abort('lost')",
            ),
            Edit(
                _MATCH,
                "services.store.abort(claim.match, reason, epoch=claim.epoch)",
                "services.store.abort(claim.match, reason)",
            ),
        ),
        Bug(
            "journal-cleared",
            "the journal forgets what could not be written at once",
            Edit(
                "palio_server.arena.journal",
                "                self._news.set()\n                raise",
                "                self._pending.clear()\n                self._count = 0\n                raise",
            ),
        ),
        Bug(
            "director-gives-up",
            "a tournament is paused because the database was away when its director read its matches",
            Edit(
                "palio_server.arena.kept_event",
                'await self._retry(\n            "matches wait to be looked at", '
                "lambda: self._store.event_matches(self.number, of=matches)\n        )",
                "await self._store.event_matches(self.number, of=matches)",
            ),
        ),
        Bug(
            "renewed-by-name",
            "leases are not renewed",
            Edit(
                _LEASES,
                "kept = await self._store.renew(claims, self._lease_s)",
                "kept = {claim.match for claim in claims}",
            ),
        ),
    )
}
