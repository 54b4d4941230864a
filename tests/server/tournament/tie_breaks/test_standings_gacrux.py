"""Ranks and tie-breaks of random events are those of gacrux (C.07 as in force since March 2026), through a TRF file."""

from random import Random

import pytest
from gacrux.tiebreak import tiebreak
from gacrux.trf2json import trf2json

from palio_server.tournament.cards import Card, Cell
from palio_server.tournament.round_robin import berger
from palio_server.tournament.tie_breaks import ranked

CODES = {
    "direct_encounter": "DE",
    "buchholz": "BH",
    "buchholz_cut_1": "BH/C1",
    "buchholz_cut_2": "BH/C2",
    "buchholz_median": "BH/M1",
    "buchholz_median_2": "BH/M2",
    "sonneborn_berger": "SB",
    "sonneborn_berger_cut_1": "SB/C1",
    "wins": "WIN",
    "games_won": "WON",
    "games_with_black": "BPG",
    "wins_with_black": "BWG",
    "progressive": "PS",
    "koya": "KS",
}
LETTERS = {"pairing-bye": "U", "half-bye": "H", "full-bye": "F", "absent": "Z"}
BYES = {"pairing-bye": 1.0, "half-bye": 0.5, "full-bye": 1.0, "absent": 0.0}


class Draw:
    """Cells of an event that is made up round by round."""

    def __init__(self, size, random):
        self.random = random
        self.cells = {number: [] for number in range(1, size + 1)}

    def bye(self, round_, number, how):
        self.cells[number].append(Cell(round_, how, BYES[how]))

    def game(self, round_, white, black):
        how = "forfeit" if self.random.random() < 0.15 else "played"
        results = [(1.0, 0.0), (0.0, 1.0), (0.5, 0.5)] if how == "played" else [(1.0, 0.0), (0.0, 1.0), (0.0, 0.0)]
        made, theirs = self.random.choice(results)
        part = 0.5 if made == theirs else made
        colours = ("white", "black") if how == "played" else ("", "")
        self.cells[white].append(Cell(round_, how, made, (black,), (part,), colours[0]))
        self.cells[black].append(Cell(round_, how, theirs, (white,), (1 - part,), colours[1]))

    def cards(self):
        return [Card(number, f"bot{number}", None, tuple(cells)) for number, cells in self.cells.items()]


def swiss(seed):
    """Pairings need not be good ones: any bot meets any other, but not twice unless it is unavoidable."""
    random = Random(seed)
    draw, rounds = Draw(random.randint(4, 14), random), random.randint(3, 9)
    gone = {number: random.randint(2, rounds) for number in draw.cells if random.random() < 0.15}
    late = {number: random.randint(2, rounds) for number in draw.cells if random.random() < 0.1}
    met = set()
    for round_ in range(1, rounds + 1):
        here = []
        for number in draw.cells:
            if round_ >= gone.get(number, rounds + 1) or round_ < late.get(number, 1):
                draw.bye(round_, number, "absent")
            elif random.random() < 0.08:
                draw.bye(round_, number, random.choice(["half-bye", "absent", "full-bye"]))
            else:
                here.append(number)
        random.shuffle(here)
        while len(here) > 1:
            white = here.pop()
            black = next((other for other in here if frozenset((white, other)) not in met), here[0])
            here.remove(black)
            met.add(frozenset((white, black)))
            draw.game(round_, white, black)
        for number in here:
            draw.bye(round_, number, "pairing-bye")
    return draw.cards(), rounds


def round_robin(seed):
    random = Random(seed)
    size, cycles = random.randint(3, 9), random.randint(1, 2)
    draw = Draw(size, random)
    rounds = [
        [(white + 1, black + 1) for white, black in berger(size, number) if max(white, black) < size]
        for number in range(size - 1 + size % 2)
    ]
    for number in range(cycles):
        for place, pairs in enumerate(rounds):
            round_ = number * len(rounds) + place + 1
            for white, black in pairs:
                draw.game(round_, *((black, white) if number else (white, black)))
            for alone in set(draw.cells) - {bot for pair in pairs for bot in pair}:
                draw.bye(round_, alone, "absent")
    return draw.cards(), cycles * len(rounds)


def trf(cards, rounds):
    lines = ["012 made up", f"142 {rounds:3}"]
    for card in cards:
        line = (
            f"001 {card.number:4}      {card.bot:33} {'':4} {'':3} {'':11} {'':10} {card.points:4.1f} {card.number:4}"
        )
        lines.append(line + "".join(_text(card, cell) for cell in card.cells))
    return "\n".join(lines) + "\n"


def _text(card, cell):
    if not cell.opponents:
        return f"  0000 - {LETTERS[cell.how]}"
    [opponent] = cell.opponents
    if cell.how == "forfeit":
        colour = "w" if card.number < opponent else "b"
        return f"  {opponent:4} {colour} {'+' if cell.points else '-'}"
    return f"  {opponent:4} {cell.colour[0]} {dict(zip((1.0, 0.5, 0.0), '1=0', strict=True))[cell.points]}"


def by_gacrux(cards, rounds, codes, *, predetermined):
    reader = trf2json()
    reader.parse_file(trf(cards, rounds), False)
    assert reader.get_status() == 0
    params = {"pre_determined": predetermined, "swiss": not predetermined, "unrated": None, "check": False}
    tournament = reader.get_tournament(1)
    result = tiebreak(tournament, rounds, params).compute_tiebreaks(tournament, params | {"tiebreak": ["PTS", *codes]})
    return {line["cid"]: (line["rank"], line["tiebreakScore"]) for line in result["competitors"]}


def compare(cards, rounds, names, *, predetermined):
    theirs = by_gacrux(cards, rounds, [CODES[name] for name in names], predetermined=predetermined)
    for line in ranked(cards, names, rounds=rounds, predetermined=predetermined):
        rank, figures = theirs[line.card.number]
        assert float(figures[0]) == line.card.points
        for name, ours, figure in zip(names, line.tie_breaks, figures[1:], strict=True):
            if name != "direct_encounter":  # theirs is a place among those who are level
                assert ours == pytest.approx(float(figure)), (name, line.card)
        assert line.rank == rank, (names, line.card)


@pytest.mark.parametrize("seed", range(300))
def test_a_swiss_event_is_ranked_as_by_gacrux(seed):
    cards, rounds = swiss(seed)
    names = list(CODES)
    Random(seed).shuffle(names)
    compare(cards, rounds, names, predetermined=False)
    compare(cards, rounds, ["direct_encounter"], predetermined=False)


@pytest.mark.parametrize("seed", range(200))
def test_a_round_robin_is_ranked_as_by_gacrux(seed):
    cards, rounds = round_robin(seed)
    names = list(CODES)
    Random(seed).shuffle(names)
    compare(cards, rounds, names, predetermined=True)
    compare(cards, rounds, ["direct_encounter"], predetermined=True)
