"""SGF of other programs as records: setup, names of bots, clocks, and how a game ended.

Where both passed and the players agreed that stones are dead, the rules count otherwise: then the record ends before
the last pass, with the result that was agreed on.
"""

import re
from datetime import UTC, datetime, timedelta
from hashlib import blake2b
from typing import Any

import msgspec
from msgspec import UNSET

from palio_rules.boards.go import CLAIM, COLS, LARGEST, PASS, board_of
from palio_rules.byoyomi import Stage
from palio_rules.contract.messages import Info, Result, Termination
from palio_rules.contract.names import LONGEST_NAME
from palio_rules.errors import BadOption, BadRecord, IllegalMove, quoted
from palio_rules.games.go import GoOptions
from palio_rules.games.go_position import WHITE, placed, said, told
from palio_rules.records.pgn_records import MOST_CHARACTERS, PgnRecord, bot_name
from palio_rules.records.pgn_text import LONGEST, UNDATED, Clocks
from palio_rules.records.record import Ply, Record, Setup
from palio_rules.records.sgf import Node, SgfGame
from palio_rules.records.sgf_text import APPLICATION, COLOURS, LETTERS
from palio_rules.records.sgf_words import Written, komi_of, result_of
from palio_rules.registry import game as rules_of
from palio_rules.time_control import DAY_MS, TimeControl

GO, GAME_OF_GO = "go", "1"  # the name here, and in the property GM
_ENDS: dict[str, tuple[Termination, str]] = {
    "r": ("resigned", "resigned"),
    "t": ("time", "flag-fell"),
    "f": ("disconnected", "abandoned"),
    "i": ("illegal", "illegal-move"),
}
_MOVES_IN_TIME = re.compile(r"(\d{1,4})/(\d{1,5}(?:\.\d{1,3})?) canadian", re.IGNORECASE)
_PERIODS = re.compile(r"(\d{1,2}) ?x ?(\d{1,5}(?:\.\d{1,3})?)(?: byo-?yomi| ?s(?:ec(?:onds?)?)?)?", re.IGNORECASE)
_INCREMENT = re.compile(r"(\d{1,5}(?:\.\d{1,3})?) fischer", re.IGNORECASE)
_SECONDS = re.compile(r"\d{1,7}(?:\.\d{1,9})?")
_WITH_SUICIDE = re.compile(r"(?:nz|new.?zealand|goe|ing|tromp.?taylor)\b|.*sui1", re.IGNORECASE)  # KataGo's: ...sui1
_SETUP = ("AB", "AW", "AE")  # stones that are set: black ones, white ones, none


def record_of_sgf(game: SgfGame) -> PgnRecord:
    """Return a finished game as a record, and its players' names. Raises BadRecord, which begins with the line."""
    try:
        return _record_of(game)
    except ValueError as error:
        raise BadRecord(f"line {game.line}: {error}") from None


def played_in_sgf(game: SgfGame) -> tuple[GoOptions, list[Any]]:
    """Return the options of a game, finished or not, and all its positions. Raises ValueError."""
    game, setup = _setup(game)
    return setup.rules().parse_options(setup.options), _played(game, setup)[1]


def _setup(game: SgfGame) -> tuple[SgfGame, Setup]:
    """Return the game with its handicap stones set, and its setup without names. Raises ValueError."""
    if (kind := game.said("GM")) not in ("", GAME_OF_GO):
        raise ValueError(f"GM[{kind[:10]}] is another game than Go, which is GM[1]")
    game = _stones_by_moves(game)
    size = _size(game.said("SZ"))
    komi = komi_of(game.said("KM"), game.said("RU"), exact=game.said("AP") == APPLICATION)
    options: dict[str, Any] = {"size": size, "komi": komi}
    if _WITH_SUICIDE.match(game.said("RU")):
        options["suicide"] = True
    if any(_claims(game, node) for node in game.nodes):
        options["cleanup"] = "final_status_list"
    time = _time(game)
    first = _first(game, options)
    position = "" if first is None else rules_of(GO).format_state(first)
    return game, Setup(GO, (), options, time=time, position=position)


def _record_of(game: SgfGame) -> PgnRecord:
    identity = _identity(game)
    game, setup = _setup(game)
    plies, states = _played(game, setup)
    names = [game.said(each) or "?" for each in ("PB", "PW")]
    bots = [bot_name(each) for each in names]
    if bots[0] == bots[1]:
        bots[1] = f"{bots[1][: LONGEST_NAME - 2]}-2"
    result, count = _result(game.said("RE"), states)
    setup = msgspec.structs.replace(setup, bots=tuple(bots), max_plies=max(setup.max_plies, len(plies)))
    begun = _begun(game.said("DT"))
    kept = plies[:count]
    record = Record(
        match=identity,
        setup=setup,
        plies=tuple(kept),
        result=result,
        started_at=begun,
        finished_at=begun + timedelta(milliseconds=sum(ply.ms for ply in kept)),
        event="".join(each if each.isprintable() else " " for each in game.said("EV"))[:LONGEST],
    )
    return PgnRecord(record, tuple(zip(names, bots, strict=True)))


def _identity(game: SgfGame) -> str:
    """Return the match's identity: its own, or one made of all that the game says, so that it is found again."""
    if game.said("AP") == APPLICATION and re.fullmatch(r"[A-Za-z0-9_-]{1,64}", own := game.said("GN")):
        return own
    said = [sorted(node.items()) for node in game.nodes]
    return f"sgf-{blake2b(msgspec.json.encode(said), digest_size=12).hexdigest()}"


def _size(text: str) -> int:
    if not text:
        return LARGEST
    found = re.fullmatch(r"([0-9]{1,2})(?::\1)?", text)
    if found is None or not 1 <= int(found[1]) <= LARGEST:
        raise ValueError(f"SZ[{text[:20]}]: a board is square, with 1 to {LARGEST} rows")
    return int(found[1])


def _stones_by_moves(game: SgfGame) -> SgfGame:
    """Return a game whose handicap stones are set: OGS writes those that Black has chosen as moves in a row.

    Others write a pass of White between two of them.
    """
    text = game.said("HA")
    if not re.fullmatch("[0-9]{1,2}", text) or (count := int(text)) <= 1 or any("AB" in node for node in game.nodes):
        return game
    root, *rest = game.nodes
    coloured = [node for node in rest if any(colour in node for colour in COLOURS)]
    between = coloured[1 : 2 * count - 2 : 2]
    skipped = {id(node) for node in between} if all(map(_is_pass_of_white, between)) else set[int]()
    coloured = [node for node in coloured if id(node) not in skipped]
    stones, after = coloured[:count], coloured[count : count + 1]
    in_a_row = len(stones) == count and all("B" in node and "W" not in node for node in stones)
    if not in_a_row or any("B" in node for node in after) or any(colour in root for colour in COLOURS):
        return game
    placed_first = {**root, "AB": [node["B"][0] for node in stones]}
    chosen = skipped | {id(node) for node in stones}
    return SgfGame(game.line, [placed_first, *(node for node in rest if id(node) not in chosen)])


def _is_pass_of_white(node: Node) -> bool:
    return "B" not in node and node.get("W", ["?"])[0].strip() in ("", "tt")


def _first(game: SgfGame, options: dict[str, Any]) -> Any:
    """Return the position before the first move; None for the empty board with Black to move. Raises ValueError."""
    size = options["size"]
    board, sides = board_of(size), [0, 0]
    turn: int | None = None
    for node in game.nodes:
        points = [sum({board.bits[move] for move in _area(node.get(name, []), size)}) for name in _SETUP]
        if points[0] & points[1]:
            raise ValueError("AB and AW name the same point")
        placed_here = points[0] | points[1] | points[2]
        sides = [stones & ~placed_here | new for stones, new in zip(sides, points, strict=False)]
        if node.get("PL"):
            turn = _colour(node["PL"][0])
        if moves := [seat for seat, colour in enumerate(COLOURS) if colour in node]:
            turn = moves[0] if turn is None else turn
            break
    black, white = sides
    handicap = game.said("HA")  # some write who takes Black: `HA[吴受先]`
    if handicap.isdecimal() and int(handicap) > 1 and not black:
        raise ValueError(f"HA[{handicap[:20]}] has no stones; a handicap is read from AB, or from Black's first moves")
    if turn is None:
        turn = 1 if black and not white else 0
    if not (black or white or turn):
        return None
    return placed(size, black, white, turn, komi=options["komi"], suicide=options.get("suicide", False))


def _colour(text: str) -> int:
    if text[:1].upper() not in COLOURS or not text:
        raise ValueError(f"PL[{text[:20]}] is no colour; write B or W")
    return COLOURS.index(text[0].upper())


def _area(values: list[str], size: int) -> list[str]:
    """Return the points of a list, in which `aa:cc` is a rectangle."""
    points: list[str] = []
    for value in filter(None, map(str.strip, values)):  # some programs write `AB[]` for none
        corner, colon, other = value.partition(":")
        cols, rows = ([_place(corner, at, size), _place(other if colon else corner, at, size)] for at in (0, 1))
        points += [_name(col, row, size) for row in _from_to(rows) for col in _from_to(cols)]
    return points


def _from_to(ends: list[int]) -> range:
    return range(min(ends), max(ends) + 1)


def _place(text: str, at: int, size: int) -> int:
    place = LETTERS.find(text[at]) if len(text) == 2 else -1
    if not 0 <= place < size:
        raise ValueError(f"{quoted(text[:20])} is no point of the board of {size}x{size}")
    return place


def _name(col: int, row: int, size: int) -> str:
    return f"{COLS[col]}{size - row}"


def _played(game: SgfGame, setup: Setup) -> tuple[list[Ply], list[Any]]:
    """Return the plies, and the position before each of them and after the last. Raises ValueError."""
    rules, state = setup.rules(), setup.start()
    clocks = Clocks((setup.time, setup.time))
    plies: list[Ply] = []
    states = [state]
    for node in game.nodes:
        if plies and any(name in node for name in _SETUP):
            raise ValueError(f"stones are set after move {len(plies)}; only a game that was played is a record")
        found = [(seat, node[colour][0]) for seat, colour in enumerate(COLOURS) if colour in node]
        if not found:
            continue
        if len(found) > 1:
            both = " and ".join(f"{COLOURS[seat]}[{text[:10]}]" for seat, text in found)
            raise ValueError(f"move {len(plies) + 1}: {both} stand in one node; write a node for each move")
        ((seat, text),) = found
        size = state.board.size
        move = _move(text, size)
        if move == PASS and state.to_move is None:
            continue  # as White's last one under AGA rules, after the two that end the game
        if state.to_move is None and state.passes:  # the players went on after two passes: these are no moves
            del plies[-2:], states[-2:]
            state = states[-1]
        if move == PASS and (dead := _claims(game, node)):
            move = CLAIM + ",".join(_area(dead, size))
        if state.to_move != seat:
            over = "the game is over" if state.to_move is None else f"it is {rules.seats[state.turn]}'s turn"
            raise ValueError(f"move {len(plies) + 1}, {COLOURS[seat]}[{text[:10]}]: {over}")
        try:
            state.check(move)
        except IllegalMove as error:
            remedy = "; RU[NZ], RU[GOE] or RU[Tromp-Taylor] would allow it" if error.code == "suicide" else ""
            raise ValueError(f"move {len(plies) + 1}, {COLOURS[seat]}[{text[:10]}]: {error}{remedy}") from None
        plies.append(Ply(seat, move, _spent(node, seat, clocks), _info(node)))
        state = state.play(move)
        states.append(state)
    return plies, states


def _claims(game: SgfGame, node: Node) -> list[str]:
    """Return the stones that a pass claims dead; other programs mark points for other reasons."""
    return node.get("MA", []) if game.said("AP") == APPLICATION else []


def _move(text: str, size: int) -> str:
    text = text.strip()
    if text == "" or (text == "tt" and size <= LARGEST):
        return PASS
    return _name(_place(text, 0, size), _place(text, 1, size), size)


def _spent(node: Node, seat: int, clocks: Clocks) -> int:
    """Return the milliseconds that a move took, by the time that its side has left."""
    left = (node.get(f"{COLOURS[seat]}L") or [""])[0]
    if not _SECONDS.fullmatch(left):
        return 0
    ms = min(DAY_MS, round(float(left) * 1000))
    byoyomi, count = clocks.times[seat].byoyomi, (node.get(f"O{COLOURS[seat]}") or [""])[0]
    if byoyomi is not UNSET:
        inside = re.fullmatch(r"[1-9][0-9]{0,2}", count)
        stage = Stage(0, ms, int(count)) if inside else Stage(ms, byoyomi.period_ms, byoyomi.most)
        ms = byoyomi.left_of(stage)[0]
    return clocks.spent(seat, ms)


def _info(node: Node) -> Info | None:
    text = " ".join(" ".join(node.get("C", [])).split())
    return Info(text=text[:MOST_CHARACTERS]) if text else None


def _time(game: SgfGame) -> TimeControl:
    """Return the time control; without a limit where none is said that is known here."""
    main, other = game.said("TM"), game.said("OT") or _periods_of_fox(game)
    if (byoyomi := _byoyomi(main, other)) is not None:
        return byoyomi
    if (found := _MOVES_IN_TIME.fullmatch(other)) is not None and main in ("", "0"):
        return TimeControl.parse(f"{found[1]}/{found[2]}")
    if not _SECONDS.fullmatch(main) or not 0 < float(main) <= DAY_MS / 1000:
        return TimeControl()
    gain = _INCREMENT.fullmatch(other)
    return TimeControl(round(float(main) * 1000), 0 if gain is None else round(float(gain[1]) * 1000))


def _periods_of_fox(game: SgfGame) -> str:
    """Return byo-yomi as OT has it: Fox writes the periods into TC, and the seconds of each into TT; "" without."""
    count, seconds = game.said("TC"), game.said("TT")
    return f"{count}x{seconds} byo-yomi" if count.isdecimal() and int(count) and seconds.isdecimal() else ""


def _byoyomi(main: str, other: str) -> TimeControl | None:
    """Return main time with what follows it; None if that is no byo-yomi. Canadian without main time is `moves`."""
    if not _SECONDS.fullmatch(main or "0"):
        return None
    if (periods := _PERIODS.fullmatch(other)) is not None:
        after = f"{periods[1]}x{periods[2]}"
    elif (stones := _MOVES_IN_TIME.fullmatch(other)) is not None and float(main or "0") > 0:
        after = f"{stones[1]}/{stones[2]}"
    else:
        return None
    try:
        return TimeControl.parse(f"{main or 0}+{after}")
    except BadOption:  # longer than a day, or of no moves
        return None


def _result(text: str, states: list[Any]) -> tuple[Result, int]:
    """Return the end of the game, and how many plies it has. Raises ValueError if it is not finished."""
    last, count = states[-1], len(states) - 1
    found = result_of(text)
    ruled = last.outcome()
    if ruled is not None and (found is None or _agrees(found, ruled.scores, last.margin())):
        return Result("rule", ruled.reason, list(ruled.scores), detail=ruled.detail), count
    if found is None:
        raise ValueError(f"RE[{text[:20]}] is no result; only finished games are records; write B+R, W+3.5 or 0")
    scores = list(_scores(found))
    while states[count].outcome() is not None:
        count -= 1
    if found.how not in _ENDS:
        return Result("adjudicated", "agreement", scores, detail=_agreed(found, ruled and last.margin())), count
    termination, reason = _ENDS[found.how]
    return Result(termination, reason, scores, scores.index(0.0)), count


def _agrees(found: Written, scores: tuple[float, ...], margin: float) -> bool:
    return _scores(found) == scores and found.points in (None, abs(margin))


def _agreed(found: Written, counted: float | None) -> str:
    """Return the margin that the players agreed on, and the one that the rules count; "" if none is said."""
    if not found.points or found.winner is None:
        return ""
    beside = "" if counted is None else f"; all stones alive: {told(counted)}"
    return f"{said(-found.points if found.winner == WHITE else found.points)}{beside}"


def _scores(found: Written) -> tuple[float, ...]:
    return (0.5, 0.5) if found.winner is None else (1.0, 0.0) if found.winner == 0 else (0.0, 1.0)


def _begun(text: str) -> datetime:
    """Return the day of the game; 1970 if none is said."""
    found = re.match(r"(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?", text)
    if found is None:
        return UNDATED
    try:
        return datetime(int(found[1]), int(found[2] or 1), int(found[3] or 1), tzinfo=UTC)
    except ValueError:
        return UNDATED
