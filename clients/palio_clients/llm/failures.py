"""What can go wrong between a bot and its language model.

Exception
├── EndpointFailed       no answer; str() is a sentence for the bot's author and for viewers
│   ├── Passing          another try may help: busy, broken, not there
│   └── Unsupported      the endpoint does not know a parameter of the request, and is asked without it
└── NoMove               an answer in which no move was found (also a ValueError); str() is told to the model
"""


class EndpointFailed(Exception):
    """The endpoint did not answer, and asking again will not help: a wrong key, model or address."""


class Passing(EndpointFailed):
    """The endpoint did not answer this time. `after_s`: it says itself when to ask again."""

    def __init__(self, reason: str, after_s: float | None = None) -> None:
        super().__init__(reason)
        self.after_s = after_s


class Unsupported(EndpointFailed):
    """The endpoint refuses the request because of `parameter`."""

    def __init__(self, reason: str, parameter: str) -> None:
        super().__init__(reason)
        self.parameter = parameter


class NoMove(ValueError):
    """An answer says no move, or more than one."""
