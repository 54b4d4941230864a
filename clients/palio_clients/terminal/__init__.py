"""`palio play`: a board in the terminal, for people, who click where bots send messages.

What needs no screen comes first: a match in progress (`local_match`), touches that become moves (`selection`), the bots
in the other seats (`opponent`), each in a process of its own (`bot_process`), and what is said (`sentences`). Then the
picture: a scene becomes pixels (`picture`; a board of hexagons by `hexes`), pixels become characters (`canvas`,
`palette`). Only `board`, `screens` and `app` know of Textual.

How the moves of a game are made by touch, its rules know: `palio_rules.scene`.
"""
