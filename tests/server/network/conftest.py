"""A transport and a listener that write everything down."""

import pytest

from palio_rules.contract.codec import frame_at


class Wire:
    """A transport that writes everything down."""

    def __init__(self) -> None:
        self.written = b""
        self.writes = 0
        self.reading = True
        self.protocol: object = None
        self.ended: str | None = None
        self.said_all = False

    def get_extra_info(self, name: str) -> None: ...
    def pause_reading(self) -> None:
        self.reading = False

    def resume_reading(self) -> None:
        self.reading = True

    def set_write_buffer_limits(self, high: int) -> None: ...

    def set_protocol(self, protocol: object) -> None:
        self.protocol = protocol

    def get_protocol(self) -> object:
        return self.protocol

    def is_closing(self) -> bool:
        return self.ended is not None

    def write(self, data: bytes) -> None:
        assert self.ended is None
        assert not self.said_all
        self.written += data
        self.writes += 1

    def write_eof(self) -> None:
        self.said_all = True

    def close(self) -> None:
        self.ended = self.ended or "closed"

    def abort(self) -> None:
        self.ended = "aborted"

    def goodbye(self) -> tuple[int, str] | None:
        """Return the code and reason of the last frame, if it is a close frame."""
        found, at = None, 0
        while at < len(self.written) and (bounds := frame_at(self.written, at)):
            assert found is None, "nothing comes after a goodbye"
            if self.written[at] == 0x88:
                payload = self.written[slice(*bounds)]
                found = int.from_bytes(payload[:2], "big"), payload[2:].decode()
            at = bounds[1]
        return found


class Ears:
    """A listener that remembers."""

    def __init__(self) -> None:
        self.heard: list[tuple[bytes, bool]] = []
        self.flows: list[bool] = []

    def hear(self, data: bytes, text: bool) -> None:
        self.heard.append((data, text))

    def flow(self, reading: bool) -> None:
        self.flows.append(reading)


@pytest.fixture(scope="session")
def wire_type() -> type[Wire]:
    return Wire


@pytest.fixture(scope="session")
def ears_type() -> type[Ears]:
    return Ears
