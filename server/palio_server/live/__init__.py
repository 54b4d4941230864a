"""What viewers follow: numbered events, boards drawn when somebody looks, audiences.

Other rooms take the messages to viewers from here (`live.Summary`, `live.Played`, ...), as the server sends them and as
`palio watch` reads them.
"""

from palio_server.live.messages import (
    Absent,
    Analysed,
    Back,
    Delta,
    Finished,
    LiveMessage,
    LobbySnapshot,
    LobbyUpdate,
    MatchSnapshot,
    Played,
    PlyView,
    Rejected,
    RejectedMoveView,
    Standing,
    Started,
    Summary,
    View,
)

__all__ = [
    "Absent",
    "Analysed",
    "Back",
    "Delta",
    "Finished",
    "LiveMessage",
    "LobbySnapshot",
    "LobbyUpdate",
    "MatchSnapshot",
    "Played",
    "PlyView",
    "Rejected",
    "RejectedMoveView",
    "Standing",
    "Started",
    "Summary",
    "View",
]
