"""The tables that are exported: each column with its type, unit and meaning.

The page `docs/reference/data.md` of the site is made from them.

A table is the same in every format. What has no type of its own in one is written as JSON there: lists in CSV.
"""

from dataclasses import dataclass
from typing import Literal

Kind = Literal["text", "word", "int", "float", "flag", "moment", "texts", "ints", "floats", "json"]
# word: one of few texts; moment: UTC, microseconds; json: a text that is JSON


@dataclass(frozen=True, slots=True)
class Column:
    name: str
    kind: Kind
    about: str


MATCHES = (
    Column("match", "text", "identity of the match; sorts by age"),
    Column("game", "word", "name of the game"),
    Column("options", "json", "settings of the game, as an object"),
    Column("seed", "int", "of the instance, for games that have random ones"),
    Column("event", "word", "name of the tournament; empty: none"),
    Column("tournament", "int", "its number"),
    Column("round", "int", "of the tournament, from 1"),
    Column("encounter", "int", "number of the encounter in the tournament, from 1"),
    Column("game_number", "int", "which game of the encounter, from 1"),
    Column("created_at", "moment", "when it was scheduled"),
    Column("started_at", "moment", "when it began"),
    Column("finished_at", "moment", "when it ended"),
    Column("time_control", "word", "`10+0.1`: seconds and increment; `0.5/move`: seconds a move; `inf`"),
    Column("base_ms", "int", "ms on each clock at first; null: no clock"),
    Column("increment_ms", "int", "ms that a clock gains by a move"),
    Column("move_ms", "int", "ms for one move at most; null: no limit"),
    Column("margin_ms", "int", "ms granted to every move for the network"),
    Column("rated", "flag", "whether it counts for leaderboards, unless it is void"),
    Column("leaderboard", "word", "for which it counts: the game, with settings that make another game of it"),
    Column("void", "flag", "whether an organiser has decided that it counts for nothing"),
    Column("void_reason", "text", "why; null: it is not void"),
    Column("position", "text", "the game's text of the first position, before the opening"),
    Column("opening", "texts", "moves that were played before the clocks started, in notation"),
    Column("bots", "texts", "by seat; in a race by entrant"),
    Column("scores", "floats", "by seat"),
    Column("termination", "word", "`rule`, `illegal`, `time`, ...: how it ended"),
    Column("reason", "word", "in one word: `reached-far-row`, `flag-fell`, ..."),
    Column("offender", "int", "seat at fault, from 0; null: none was"),
    Column("detail", "text", "a sentence, as `Black wins by 3.5 points`, or the last lines of a traceback"),
    Column("plies", "int", "number of plies, those of the opening not counted"),
    Column("rejections", "int", "number of rejected moves"),
    Column("moves", "texts", "the plies in notation; null in it: no move, see the table of plies"),
    Column("ms", "ints", "ms that each ply took"),
    Column("lower_bound", "float", "no solution of the race costs less, and that is proven; null: nobody knows"),
    Column("analysed", "flag", "whether somebody has analysed it"),
    Column("time_factor", "float", "by what all times were multiplied for a slower machine; null: by nothing"),
    Column("record", "json", "the complete record, from which `palio import` makes the match again"),
)
SEATS = (
    Column("match", "text", "identity of the match"),
    Column("game", "word", "name of the game"),
    Column("seat", "int", "from 0, in the order of play; in a race the entrant"),
    Column("seat_name", "word", "the game's word for it; in a race the entrant's number from 1"),
    Column("bot", "word", "who sat there"),
    Column("score", "float", "1 won, 0.5 drawn, 0 lost; in a race the share of the others left behind"),
    Column("ms", "int", "ms of thinking, all plies together"),
    Column("plies", "int", "number of its plies"),
    Column("rejections", "int", "number of its rejected moves"),
    Column("cost", "float", "of its solution in a race, less being better; null: none"),
    Column("termination", "word", "in a race, how its own race ended; else null"),
    Column("reason", "word", "in a race, why, in one word; else null"),
    Column("proven", "flag", "in a race, whether it is proven that no solution costs less; else null"),
    Column("confined", "text", "how its program was confined; null: unknown"),
    Column("submission", "text", "in a course, ID of the submission that played; null: none"),
    Column("last_position", "text", "the game's text of the last position on its board"),
)
PLIES = (
    Column("match", "text", "identity of the match"),
    Column("game", "word", "name of the game"),
    Column("ply", "int", "from 1, those of the opening first; in a race all entrants in one row"),
    Column("opening", "flag", "whether it was played before the clocks started; then nobody has thought"),
    Column("seat", "int", "from 0; in a race the entrant"),
    Column("bot", "word", "who sits there"),
    Column("move", "text", "in the game's notation; null: no move, see `out`"),
    Column("wire", "json", "the move as on the wire"),
    Column("position", "text", "the game's text of the position before the move, on the board of the seat"),
    Column("ms", "int", "ms of thinking; null in the opening"),
    Column("clock_ms", "int", "ms on the seat's clock after the move; null: no clock"),
    Column("out", "word", "why the seat has forfeited with this ply; null: it has not"),
    Column("cost", "float", "of the entrant's solution after the ply, in a race; null: it has none"),
    Column("rejections", "int", "moves that were rejected before this one was played"),
    Column("depth", "int", "the bot said: depth of its search, plies"),
    Column("nodes", "int", "the bot said: positions it has looked at"),
    Column("score", "float", "the bot said: its evaluation, from its own view and in its own unit"),
    Column("pv", "texts", "the bot said: the line that it expects"),
    Column("text", "text", "the bot said: anything"),
    Column("tokens_in", "int", "the bot said: tokens that its language model has read for this move"),
    Column("tokens_out", "int", "the bot said: tokens that the model has written"),
    Column("dollars", "float", "the bot said: US dollars that the model was paid for this move"),
    Column("latency_ms", "int", "the bot said: ms that the model took to answer, all answers together"),
    Column("info", "json", "all that the bot said, as an object; null: nothing"),
    Column("values", "floats", "analysis: evaluation of the position after the move, by seat"),
    Column("verdicts", "texts", "analysis: `win`, `draw` or `loss` where that is proven, by seat"),
    Column("distance", "int", "analysis: plies in which what is proven can be had"),
    Column("best", "text", "analysis: a better move, in notation; null: none is known"),
    Column("mark", "word", "analysis: `?` or `??`; null: no complaint"),
)
REJECTIONS = (
    Column("match", "text", "identity of the match"),
    Column("game", "word", "name of the game"),
    Column("ply", "int", "of the table of plies: the one that was played instead, or would have been next"),
    Column("seat", "int", "from 0; in a race the entrant"),
    Column("bot", "word", "who sits there"),
    Column("move", "text", "what was sent, cut to 200 characters"),
    Column("code", "word", "why, for programs"),
    Column("reason", "text", "why, for people"),
)
RATINGS = (
    Column("game", "word", "name of the leaderboard: the game, with settings that make another game of it"),
    Column("bot", "word", "who is rated"),
    Column("at", "moment", "end of the last match that counts"),
    Column("rating", "float", "Elo, by all results until then"),
    Column("error", "float", "Elo; half the width of the 95 % interval"),
    Column("provisional", "flag", "whether too little is known to rank the bot"),
)
TABLES = {"matches": MATCHES, "seats": SEATS, "plies": PLIES, "rejections": REJECTIONS, "ratings": RATINGS}
EVERY_MATCH = tuple(name for name in TABLES if name != "ratings")  # made of the matches, one after the other


def columns_of(table: str, *, records: bool = True) -> tuple[Column, ...]:
    """Those of `table`; the complete record only with `records`."""
    return tuple(column for column in TABLES[table] if records or column.name != "record")
