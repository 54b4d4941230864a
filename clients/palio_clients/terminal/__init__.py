"""`palio play`: a board in the terminal, for people, who click where bots send messages.

The parts without a screen: a match in progress and the bots in the other seats, each in its own process (`opponent`). A
picture is drawn from a scene (`picture`), as characters (`canvas`). Only `board`, `screens` and `app` use Textual.

The rules define how the moves of a game are made by touch: `palio_rules.scene`.
"""
