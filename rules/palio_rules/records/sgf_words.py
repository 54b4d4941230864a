"""The words in which servers and programs of Go write komi and results into SGF, read as numbers and winners.

SGF wants `KM[7.5]` and `RE[B+R]`. Fox writes hundredths (`KM[650]`), and under Chinese rules of stones instead of
points (`KM[375]`: 3.75 stones are 7.5 points), GoGoD comments (`W+0.5 (moves after 240 not known)`), others words.
"""

import re
from typing import NamedTuple

MOST_KOMI = 361
_HUNDREDTHS = 200  # a komi from here on is in hundredths, where a server of Fox's kind wrote it
_MOST_STONES = 4  # of a komi that is counted in stones: 3.75 are 7.5 points
_KOMI = re.compile(
    r"(?P<sign>[+-]?)(?P<whole>\d{1,4})?"
    r"(?:[.,](?P<decimals>\d{1,9})?|\s*(?:又|\s)?(?P<over>[13])/(?P<under>[24])|\s*(?P<half>½))?"
    r"\s*(?P<unit>points?|pts?\.?|moku|目|집|stones?|zi|子)?",
    re.IGNORECASE,
)
_STONES = ("stone", "stones", "zi", "子")
_SERVERS_RULES = re.compile(r"|(?:chinese|japanese|korean|cn|jp|kr)\b.*", re.IGNORECASE)


def komi_of(text: str, rules: str, *, exact: bool = False) -> float:
    """Return a komi in points; 0 if it is not said. `rules` is the property RU; `exact`: it is a number of points.

    Raises ValueError, with the remedy.

    >>> komi_of("375", "Chinese"), komi_of("650", "Japanese"), komi_of("7.50", ""), komi_of("3 3/4 zi", "")
    (7.5, 6.5, 7.5, 7.5)
    """
    if not text:
        return 0.0
    shown = f"KM[{text[:20]}]"
    found = _KOMI.fullmatch(text)
    if found is None or not (found["whole"] or found["decimals"] or found["over"] or found["half"]):
        raise ValueError(f"{shown} is no number; write points, as in KM[6.5]")
    komi = float(f"{found['whole'] or 0}.{found['decimals'] or 0}") + (0.5 if found["half"] else 0.0)
    if found["over"]:
        komi += int(found["over"]) / int(found["under"])
    in_stones = (found["unit"] or "").casefold() in _STONES
    if not exact and not in_stones:
        is_integer = text.lstrip("+-").isdecimal()
        if is_integer and komi >= _HUNDREDTHS and _SERVERS_RULES.fullmatch(rules):
            komi /= 100
            in_stones = komi <= _MOST_STONES and (rules[:1].casefold() == "c" or not (komi * 2).is_integer())
        else:
            in_stones = komi <= _MOST_STONES and not (komi * 2).is_integer()
    if in_stones:
        komi *= 2
    if not (komi <= MOST_KOMI and (komi * 4).is_integer()):
        raise ValueError(f"{shown}: a komi is a multiple of 0.25, at most {MOST_KOMI}; write points, as in KM[6.5]")
    return (-komi if found["sign"] == "-" else komi) + 0.0  # -0.0 is 0


class Written(NamedTuple):
    """A result: the seat that won (None: a draw), and how: `r` resigned, `t` time, `f` forfeit, `i` an illegal move, ""
    by points or not said; `points` if they are said.
    """

    winner: int | None
    how: str
    points: float | None = None


_LETTERED = re.compile(r"(?P<winner>[BbWw])(?:lack|hite)?\s*\+(?P<how>.*)", re.DOTALL)
_IN_WORDS = re.compile(r"(?P<winner>black|white|[bw])\s+(?:wins?|won)\b\s*(?P<how>.*)", re.IGNORECASE | re.DOTALL)
_IN_CHARACTERS = re.compile(r"(?P<winner>[黑黒白흑백])[方番]?\s*(?P<how>[中超时時勝胜不불시기판반].*)", re.DOTALL)
_LOSES = re.compile("[负負敗败]|패")  # else these are words of a win
_DRAWN = re.compile(r"0|draw|jigo|tie|和棋?|持碁|ジゴ|빅|무승부", re.IGNORECASE)
_POINTS = re.compile(r"\d{1,3}(?:\.\d{1,2})?(?![\d/]|\s*[子目집])")
_WINNERS = {"w": 1, "白": 1, "백": 1}  # others are Black
_HOW = (
    ("r", re.compile(r"r(?:es|\b)|(?:by )?resign|中盘|中盤|中押|불계|기권", re.IGNORECASE)),
    ("t", re.compile(r"t(?:ime|\b)|(?:by |on )?time|超时|超時|时间|時間|시간", re.IGNORECASE)),
    ("i", re.compile("illegal", re.IGNORECASE)),
    ("f", re.compile(r"f(?:orf|\b)|(?:by )?forfeit|弃权|棄権", re.IGNORECASE)),
)


def result_of(text: str) -> Written | None:
    """Return a result; None if it is none: of a game that is not finished, or void.

    >>> result_of("B+Resign"), result_of("white wins on time"), result_of("?")
    (Written(winner=0, how='r', points=None), Written(winner=1, how='t', points=None), None)
    >>> result_of("Jigo"), result_of("B+24.5")
    (Written(winner=None, how='', points=None), Written(winner=0, how='', points=24.5))
    """
    text = text.strip()
    if _DRAWN.fullmatch(text):
        return Written(None, "")
    found = _LETTERED.fullmatch(text) or _IN_WORDS.fullmatch(text) or _IN_CHARACTERS.fullmatch(text)
    if found is None:
        return None
    how = found["how"].strip()
    letter = next((letter for letter, form in _HOW if form.match(how)), "")
    winner = _WINNERS.get(found["winner"][:1].casefold(), 0)
    points = _POINTS.match(how) if not letter else None
    return Written(1 - winner if _LOSES.search(how) else winner, letter, points and float(points[0]))
