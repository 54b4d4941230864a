"""Servers that share the work around one broker and one database, and bots that come over the broker.

    servers_on_broker   what the core asks and tells (`OtherServers` of the lobby)
    shared_tournaments  requests for tournaments, passed to the server that runs each of them
    node                this process among the others: which of them live, and which bots they have
    sessions            connections of bots, told in numbered changes
    seating             slots of bots, borrowed from other processes and lent to them
    requests, messages  questions with one answer each, and all that servers say to each other
    broker, mqtt        the connection to the broker, and the bus over it
    mqtt_gateway        where bots on the broker come in

Nothing here decides who has won, or who may write a result: the epoch of a claim in the database does. A lost message,
or one of a process that is dead by now, costs time and never a result.
"""
