"""How servers share the work: who they are, whose bots are where, and who lends whom a slot of a bot.

    roster        which processes live, as their heartbeats say
    session_book  the connections of a process as others know them, from numbered lists of changes
    own_sessions, other_sessions  what is told of ours, and what becomes of what is told of others'
    loans         slots of our bots, as other processes have borrowed them for matches that they play
    seating       slots of other processes' bots, as we have borrowed them
    node          what connects all of that with the bus and the lobby

Nothing here decides who has won, nor who may write a result: that is the database's epoch. What is lost on the way, or
said by a process that is dead by now, costs time and never a result.
"""
