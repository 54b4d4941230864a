"""A limit has been reached: the one way to say so, whatever carries the words."""

from math import ceil


class TooMuch(ValueError):
    """`code` for programs, the message for people, and after how many seconds another try may do."""

    def __init__(self, code: str, reason: str, retry_s: float) -> None:
        self.code, self.retry_s = code, max(1, ceil(retry_s))
        super().__init__(f"{reason}; try again in {self.retry_s} s")

    @property
    def retry_ms(self) -> int:
        return self.retry_s * 1000
