"""Import of matches that were finished elsewhere, with all that follows from them: scores, counters, recent form.

A match keeps its identity, so that an existing match is found, and is never counted twice. Its tournament keeps its
number if that is free; the imported tournament is over, and has the encounters of the imported matches. The caller must
check that a record reproduces.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import astuple
from functools import cached_property
from typing import Any

import msgspec
from msgspec import UNSET

from palio_db.archives import digest_of, read_outline, restore
from palio_db.audit import log_act
from palio_db.columns import checked, one_line, pack, unpack
from palio_db.connections import ANY, Connection, Sql
from palio_db.counters import ADDED, FORM, added_counters, added_outcomes, added_pairs, check_scores, counters_of
from palio_db.errors import StoreError
from palio_db.event_values import Card, ImportResult, KeptEncounter, KeptEntry, KeptMatch, TournamentPlace, record_of
from palio_db.group import COUNTERS, DETAIL, OUTCOMES, PAIRS, SEATS, seat_lines
from palio_db.names import as_seated
from palio_db.notices import RESULTS, count_change_plain
from palio_db.playable import others_of
from palio_db.store_part import StorePart
from palio_db.tournaments import OVER
from palio_db.values import PALIO, Act, Actor
from palio_db.voiding import SET_FORM, LastResult, last_results
from palio_db.work import Exclusive
from palio_rules.records.record import Analysis, Record

# Tournaments of imported matches: found again if they exist, else created, and over.
#
# Without its card, a tournament has the bots of each round but no encounters.

KNOWN = Sql.of("SELECT id, name, game FROM tournaments WHERE id = ? AND created_at = ?")
TWIN = Sql.of("SELECT id FROM tournaments WHERE name = ? AND game = ? AND created_at = ? ORDER BY id LIMIT 1")
TAKEN = Sql.of("SELECT id FROM tournaments WHERE id = ?")
LAST = Sql.of("SELECT max(id) FROM tournaments")
MAKE = Sql.of(
    "INSERT INTO tournaments (id, name, game, settings, created_at, format, rules, stage, admits, worker, starts_at, "
    "finished_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, '', ?, ?)"
)
# On SQLite the next number is one more than the greatest; PostgreSQL has a sequence, which must be set.
COUNT_ON = Sql.of(
    "SELECT {count}",
    count=("1", "setval(pg_get_serial_sequence('tournaments', 'id'), (SELECT max(id) FROM tournaments))"),
)
ENTRY = Sql.of(
    "INSERT INTO entries (tournament, number, bot) "
    "SELECT {number}, coalesce(max(number) + 1, 0), {bot} FROM entries WHERE tournament = ? "
    "ON CONFLICT DO NOTHING",
    number=("?", "?::int"),
    bot=("?", "?::text"),
)
ENTRIES = Sql.of(
    "INSERT INTO entries (tournament, number, bot, rating, joined, gone, byes) VALUES (?, ?, ?, ?, ?, ?, ?)"
)
ENCOUNTERS = Sql.of(
    "INSERT INTO encounters (tournament, number, round, board, bots, games, opening, kind, part, forfeits) "
    "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
PLANNED = Sql.of("SELECT bots FROM encounters WHERE tournament = ? AND number = ?")
GAME = Sql.of("SELECT id FROM matches WHERE tournament = ? AND encounter = ? AND number = ?")


class ImportedTournaments:
    """The tournaments of one transaction."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._numbers: dict[tuple[Any, ...], int] = {}
        self._seen: set[tuple[int, str]] = set()

    def place(self, kept: KeptMatch) -> tuple[int | None, int, int | None, int | None]:
        """Return tournament, round, encounter and game of a match as they are to be stored. Raises StoreError."""
        if kept.tournament is UNSET:
            return None, 0, None, None
        place = kept.tournament
        number = self._number(kept, place)
        for bot in kept.setup.bots:
            if (number, bot) not in self._seen:
                self._seen.add((number, bot))
                self._connection.change(ENTRY, [(number, bot, number)])
        if place.encounter is None or place.game is None:
            return number, place.round, None, None
        if not self._connection.rows(PLANNED, (number, place.encounter)):
            return number, place.round, None, None
        if other := self._connection.rows(GAME, (number, place.encounter, place.game)):
            what = f"game {place.game + 1} of encounter {place.encounter} of tournament {number}"
            raise StoreError(f"match {kept.match} is {what}, which is match {other[0][0]} here")
        return number, place.round, place.encounter, place.game

    def _number(self, kept: KeptMatch, place: TournamentPlace) -> int:
        created, game = self._connection.from_moment(place.created_at), kept.setup.game
        key = (place.name, game, created)
        if key not in self._numbers:
            rows = self._connection.rows
            known = [number for number, *names in rows(KNOWN, (place.number, created)) if names == [place.name, game]]
            known = known or [number for (number,) in rows(TWIN, key)]
            self._numbers[key] = known[0] if known else self._make(kept, place)
        return self._numbers[key]

    def _make(self, kept: KeptMatch, place: TournamentPlace) -> int:
        connection, number = self._connection, place.number
        if connection.rows(TAKEN, (number,)):
            number = connection.rows(LAST)[0][0] + 1
        card = place.card
        if card is UNSET:
            card = Card("finished", "listed", {}, {}, None, kept.finished_at, (), ())
        stage = card.stage if card.stage in OVER else "cancelled"  # no server here may continue it
        moments = (card.starts_at, card.finished_at or kept.finished_at)
        line = (
            number,
            checked("the tournament", place.name, empty=False),
            kept.setup.game,
            pack("the settings", card.settings),
            connection.from_moment(place.created_at),
            checked("the format", place.format, empty=False),
            pack("the rules of the format", card.rules),
            stage,
            card.admits,
            *(None if moment is None else connection.from_moment(moment) for moment in moments),
        )
        connection.change(MAKE, [line])
        connection.rows(COUNT_ON)
        if card.entries:
            connection.change(ENTRIES, [(number, at, *_entry(entry)) for at, entry in enumerate(card.entries)])
        if card.encounters:
            planned = [(number, at, *_encounter(one)) for at, one in enumerate(card.encounters, 1)]
            connection.change(ENCOUNTERS, planned)
        return int(number)


def _entry(entry: KeptEntry) -> tuple[Any, ...]:
    return checked("the bot", entry.bot, empty=False), entry.rating, entry.joined, entry.left, _json(entry.byes)


def _encounter(one: KeptEncounter) -> tuple[Any, ...]:
    plan = (one.round, one.board, _json(one.bots), one.games, one.opening, one.kind)
    return *plan, checked("the part of the event", one.part), _json(one.forfeits)


def _json(values: object) -> str:
    return msgspec.json.encode(values).decode()


IDENTITY = re.compile(r"[A-Za-z0-9_-]{1,64}")  # is safe in URLs and topics

FOUND = Sql.of(
    "SELECT id, status, record, archived_at, voided_at, voided_by, void_reason FROM matches WHERE id {any}", any=ANY
)
MATCH = Sql.of(
    "INSERT INTO matches (id, game, status, seat0, others, tournament, round, event, created_at, started_at, "
    "finished_at, epoch, termination, reason, plies, setup, record, encounter, number, rated, voided_at, voided_by, "
    "void_reason) VALUES (?, ?, 'finished', ?, ?, ?, ?, ?, ?, ?, ?, 1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
SEAT = Sql.of("INSERT INTO seats (match, seat, bot) VALUES (?, ?, ?)")
NOT_RATED = Sql.of("UPDATE seats SET game = '', outcome = NULL WHERE match = ?")
SEATED = Sql.of("SELECT match, bot FROM seats WHERE match {any} ORDER BY match, seat", any=ANY)
PSEUDONYMS = Sql.of("SELECT name FROM former_names WHERE successor = ''")
FORMS = Sql.of("SELECT bot, games, form FROM ratings WHERE game = ? AND bot {any} ORDER BY bot", any=ANY)
MOST_BOTS = 50_000  # whose last results are remembered between batches
ANALYSED = Sql.of("SELECT match, body FROM analyses WHERE match {any}", any=ANY)
ANALYSIS = Sql.of("INSERT INTO analyses (match, created_at, body) VALUES (?, ?, ?) ON CONFLICT (match) DO NOTHING")


class Imports(StorePart):
    """Import of finished matches."""

    async def import_conflicts(self, matches: Sequence[KeptMatch]) -> tuple[dict[str, str], int]:
        """Return what prevents an import, as a sentence by identity; and how many matches exist already."""
        named = self._as_named
        return await self._database.query(lambda connection: _looked_at(connection, matches, named))

    async def import_matches(self, matches: Sequence[KeptMatch], *, by: Actor = PALIO) -> ImportResult:
        """Store matches, all in one transaction; existing matches with the same content are skipped.

        Raises StoreError, naming the match, if its identity exists with other content, or it cannot be stored.
        """
        packed, detailed = self._database.packs, self._database.has_details
        done: ImportResult = await self._database.submit(
            Exclusive(
                lambda connection: _import(
                    connection, matches, by, self._forms, self._as_named, packed=packed, detailed=detailed
                )
            )
        )
        return done

    def _as_named(self, connection: Connection, matches: Sequence[KeptMatch]) -> dict[str, KeptMatch]:
        """Return matches by identity; existing ones with the names that their bots have by now."""
        found = {kept.match: kept for kept in matches}
        if not self._database.has_bans:
            return found
        erased = {name for (name,) in connection.rows(PSEUDONYMS)}
        bots: dict[str, list[str]] = {}
        for match, bot in connection.rows(SEATED, (connection.list_(sorted(found)),)):
            bots.setdefault(match, []).append(bot)
        seated = {match: (found[match], names) for match, names in bots.items()}
        return found | {
            match: as_seated(kept, names, erased)
            for match, (kept, names) in seated.items()
            if len(names) == len(kept.setup.bots)
        }

    @cached_property
    def _forms(self) -> "RecentForms":
        return RecentForms()


def fault_of_identity(match: str) -> str | None:
    """Return what is wrong with an identity; None if it is valid."""
    if IDENTITY.fullmatch(match):
        return None
    return f"{match[:40]!r} is no identity of a match: letters a to z, digits, - and _ make one, 64 at most"


def fault_of_texts(kept: KeptMatch) -> str | None:
    """Return which of its texts no database can store; None if all can be stored."""
    try:
        for what, text, empty in _texts(kept):
            checked(what, text, empty=empty)
    except StoreError as error:
        return str(error)
    return None


def _texts(kept: KeptMatch) -> Iterator[tuple[str, str, bool]]:
    """Yield each text with its name, and whether it may be empty."""
    yield "the game", kept.setup.game, False
    yield from (("the bot", bot, False) for bot in kept.setup.bots)
    yield "the event", kept.event, True
    yield "the reason", kept.result.reason, True
    if kept.void is not UNSET:
        yield "who has voided it", kept.void.by, True
        yield "the reason", kept.void.reason, True
    if (place := kept.tournament) is not UNSET:
        yield "the tournament", place.name, False
        yield "the format", place.format, False
        if place.card is not UNSET:
            yield from (("the bot", entry.bot, False) for entry in place.card.entries)
            yield from (("the part of the event", one.part, True) for one in place.card.encounters)


Naming = Callable[[Connection, Sequence[KeptMatch]], dict[str, KeptMatch]]


def _looked_at(connection: Connection, matches: Sequence[KeptMatch], as_named: Naming) -> tuple[dict[str, str], int]:
    ordered, named = {kept.match: kept for kept in matches}, as_named(connection, matches)
    analysed = sorted(kept.match for kept in ordered.values() if kept.analysis is not UNSET)
    analyses = dict(connection.rows(ANALYSED, (connection.list_(analysed),))) if analysed else {}
    wrong: dict[str, str] = {}
    known = 0
    for match, status, data, archived_at, *void in connection.rows(FOUND, (connection.list_(sorted(ordered)),)):
        if not _same(connection, ordered[match], named[match], data, void, is_archived=archived_at is not None):
            what = "another record" if status == "finished" else f"a match that is {status}"
        elif match in analyses and not _same_analysis(ordered[match], analyses[match]):
            what = "another analysis"
        else:
            known += 1
            continue
        wrong[match] = f"match {match} is in the database already, with {what}; nothing is put in its place"
    return wrong, known


def _same(
    connection: Connection,
    given: KeptMatch,
    kept: KeptMatch,
    data: bytes | None,
    void: Sequence[Any],
    *,
    is_archived: bool,
) -> bool:
    """Return whether a match is the stored one; `kept` has the names that its bots have now."""
    if data is None:
        return False
    if is_archived:
        if read_outline(kept.match, data).digest != digest_of(given):
            return False
    elif not _same_record(kept, data):
        return False
    if (kept.void is UNSET) or void[0] is None:
        return kept.void is UNSET and void[0] is None
    return (kept.void.at, kept.void.by, kept.void.reason) == (connection.to_moment(void[0]), void[1], void[2])


def _same_record(kept: KeptMatch, data: bytes) -> bool:
    own, what = pack("the record", record_of(kept)), f"the record of match {kept.match}"
    return own == data or own == pack(what, unpack(what, data, Record))


def _same_analysis(kept: KeptMatch, data: bytes) -> bool:
    """Return whether two known analyses agree. If only one is known, it is stored, and nothing differs."""
    what = f"the analysis of match {kept.match}"
    own = pack(what, kept.analysis)
    return own == data or own == pack(what, unpack(what, data, Analysis))


def _import(
    connection: Connection,
    matches: Sequence[KeptMatch],
    by: Actor,
    forms: "RecentForms",
    as_named: Naming,
    *,
    packed: bool,
    detailed: bool,
) -> ImportResult:
    ordered = {kept.match: kept for kept in sorted(matches, key=lambda kept: kept.match)}
    if len(ordered) < len(matches):
        raise StoreError("a match is given twice; give each of them once")
    wrong, known = _looked_at(connection, [*ordered.values()], as_named)
    for sentence in wrong.values():
        raise StoreError(sentence)
    here = {row[0]: row[3] is not None for row in connection.rows(FOUND, (connection.list_([*ordered]),))}
    named = as_named(connection, [*ordered.values()])
    archived = [kept for kept in named.values() if here.get(kept.match)]
    if archived:
        restore(connection, archived)
        log_act(connection, by, Act("archived matches restored", f"{len(archived)} matches"))
    fresh = [kept for kept in ordered.values() if kept.match not in here]
    if not fresh:
        _analyses(connection, ordered.values(), packed=packed)
        return ImportResult(0, known, restored=len(archived))
    events = ImportedTournaments(connection)
    connection.change(MATCH, [_line(connection, kept, events.place(kept), packed=packed) for kept in fresh])
    details = [(detail, kept.match) for kept in fresh if (detail := one_line(kept.result.rule_detail)) is not None]
    if details and detailed:
        connection.change(DETAIL, details)
    connection.change(SEAT, [line for kept in fresh for line in _bots(kept)])
    connection.change(SEATS, [line for kept in fresh for line in seat_lines(kept)])
    if void := [(kept.match,) for kept in fresh if kept.void is not UNSET]:
        connection.change(NOT_RATED, void)
    _count(connection, sorted((one for one in fresh if one.void is UNSET), key=lambda one: one.finished_at), forms)
    _analyses(connection, ordered.values(), packed=packed)
    games = frozenset(kept.setup.leaderboard for kept in fresh)
    for game in sorted(games):
        count_change_plain(connection, RESULTS + game)
    log_act(connection, by, Act("matches imported", f"{len(fresh)} matches", ", ".join(sorted(games))))
    return ImportResult(len(fresh), known, games, len(archived))


class RecentForms:
    """The last results of the bots of former batches: to read them again for each batch would take longer each time.

    They are used only while the database has the same number of games and the same form as after that batch.
    """

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], tuple[int, list[LastResult]]] = {}  # by game and bot; games, results

    def of_batch(self, connection: Connection, records: Iterable[Record]) -> dict[tuple[str, str], list[LastResult]]:
        """Return the last results of each bot after `records`, which count already but for the form."""
        new: dict[tuple[str, str], list[LastResult]] = {}
        for record in records:
            for one in counters_of(record):
                ended = connection.from_moment(record.finished_at)
                new.setdefault((record.setup.leaderboard, one.bot), []).append((ended, record.match, one.form))
        found = {}
        for game in sorted({game for game, _ in new}):
            bots = connection.list_([bot for each, bot in new if each == game])
            for bot, games, form in connection.rows(FORMS, (game, bots)):
                key = game, bot
                before, former = games - len(new[key]), self._former(key)
                if before == 0 or (before == former[0] and _letters(former[1]) == form):
                    last = sorted([*(former[1] if before else ()), *(each for each in new[key] if each[2])])[-FORM:]
                else:
                    last = last_results(connection, game, bot)
                found[key] = last
                self._known[key] = games, last
        return found

    def _former(self, key: tuple[str, str]) -> tuple[int, list[LastResult]]:
        if len(self._known) > MOST_BOTS:
            self._known.clear()
        return self._known.get(key, (-1, []))


def _letters(results: Iterable[LastResult]) -> str:
    return "".join(letter for _, _, letter in results)


def _count(connection: Connection, records: Sequence[Record], forms: RecentForms) -> None:
    """Add up what counts; recent form consists of the newest results, in any order of import."""
    if pairs := added_pairs(records):
        connection.change(PAIRS, [(game, *astuple(pair)) for game, pair in pairs])
    counters = added_counters(records)
    if counters:
        values = [(game, one.bot, *(getattr(one, name) for name in ADDED), "") for game, one in counters]
        connection.change(COUNTERS, values)
        last = forms.of_batch(connection, records)
        connection.change(SET_FORM, [(_letters(last[key]), *key) for key in sorted(last)])
    if outcomes := added_outcomes(records):
        connection.change(OUTCOMES, outcomes)


def _analyses(connection: Connection, matches: Iterable[KeptMatch], *, packed: bool) -> None:
    """Store the analyses of matches that have none here."""
    lines = []
    for kept in matches:
        if kept.analysis is not UNSET:
            body = pack(f"the analysis of match {kept.match}", kept.analysis, packed=packed)
            lines.append((kept.match, connection.from_moment(kept.finished_at), body))
    if lines:
        connection.change(ANALYSIS, lines)


def _line(connection: Connection, kept: KeptMatch, place: tuple[Any, ...], *, packed: bool) -> tuple[Any, ...]:
    setup, result = kept.setup, kept.result
    check_scores(kept)
    if (wrong := fault_of_identity(kept.match)) is not None:
        raise StoreError(wrong)
    created = kept.started_at if kept.created_at is UNSET else kept.created_at
    moments = tuple(connection.from_moment(moment) for moment in (created, kept.started_at, kept.finished_at))
    void: tuple[Any, ...] = (None, None, None)
    if kept.void is not UNSET:
        void = (connection.from_moment(kept.void.at), checked("who has voided it", kept.void.by),
                checked("the reason", kept.void.reason))  # fmt: skip
    tournament, round_, encounter, number = place
    return (
        kept.match,
        checked("the game", setup.game, empty=False),
        setup.bots[0],
        others_of(setup.bots),
        tournament,
        round_,
        checked("the event", kept.event),
        *moments,
        result.termination,
        checked("the reason", result.reason),
        len(kept.plies),
        pack("the setup", setup, packed=packed),
        pack(f"the record of match {kept.match}", record_of(kept), packed=packed),
        encounter,
        number,
        kept.rated,
        *void,
    )


def _bots(kept: KeptMatch) -> Iterator[tuple[str, int, str]]:
    for seat, bot in enumerate(kept.setup.bots):
        yield kept.match, seat, checked("the bot", bot, empty=False)
