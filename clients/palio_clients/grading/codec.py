"""Plain data between a student's process and the tests' process, in frames with a length before each.

What `Channel.receive` returns has Python's own types only, never a class of the sender. Everything else crosses as a
reference: a tuple, which the receiver turns into what it stands for.
"""

import socket
import struct
from collections.abc import Callable, Iterable
from numbers import Integral, Real
from typing import Any

MOST = 4 << 20  # bytes of a frame
DEEPEST = 100  # containers within each other
TOO_LARGE, TOO_DEEP = f"it is larger than {MOST >> 20} MB", f"it is nested more than {DEEPEST} levels deep"
SEQUENCES: dict[type, bytes] = {list: b"L", tuple: b"U", set: b"E", frozenset: b"Z"}
MADE: dict[bytes, Callable[[list[Any]], Any]] = {b"L": list, b"U": tuple, b"E": set, b"Z": frozenset}
CONSTANTS: dict[bytes, Any] = {b"N": None, b"T": True, b"F": False}
_LENGTH, _FLOAT = struct.Struct(">I"), struct.Struct(">d")

Refer = Callable[[Any], tuple[Any, ...]]  # the reference to a value that is no plain data
Resolve = Callable[[tuple[Any, ...]], Any]


class BadData(ValueError):
    """Data that cannot cross: too much, too deep, or none of our frames; str() is a sentence."""


def is_plain(value: object) -> bool:
    """Return whether `value` crosses as itself and not as a copy or a reference."""
    return type(value) in _WRITERS or type(value) in SEQUENCES


def encode(value: object, refer: Refer) -> bytes:
    """Return `value` as bytes. Instances of subclasses become their base type, numpy's numbers and arrays Python's.

    Raises BadData, and what the code of a value's class raises.
    """
    out = bytearray()
    _write(value, out, refer, 0)
    return bytes(out)


def decode(data: bytes, resolve: Resolve) -> Any:
    """Return the value in `data`. Raises BadData."""
    reader = _Reader(data, resolve)
    try:
        value = reader.value(0)
    except (struct.error, IndexError, TypeError, UnicodeDecodeError) as error:
        raise BadData(f"it is no plain data: {error}") from None
    if reader.at != len(data):
        raise BadData("it is no plain data: bytes follow its end")
    return value


class Channel:
    """One end of the connection."""

    def __init__(self, end: socket.socket, refer: Refer, resolve: Resolve) -> None:
        self._end, self._refer, self._resolve = end, refer, resolve

    def frame(self, value: object) -> bytes:
        """Return the bytes that carry a value. Raises BadData."""
        data = encode(value, self._refer)
        if len(data) > MOST:
            raise BadData(TOO_LARGE)
        return _LENGTH.pack(len(data)) + data

    def write(self, frame: bytes) -> None:
        """Send what `frame` has made. Raises OSError if the other end is gone."""
        self._end.sendall(frame)

    def receive(self) -> Any:
        """Return the next value. Raises EOFError at the end, BadData if it cannot be read."""
        (length,) = _LENGTH.unpack(self._exactly(_LENGTH.size))
        if length > MOST:
            raise BadData(TOO_LARGE)
        return decode(self._exactly(length), self._resolve)

    def _exactly(self, size: int) -> bytes:
        found = bytearray()
        while len(found) < size:
            try:
                chunk = self._end.recv(min(size - len(found), 1 << 20))
            except OSError:
                chunk = b""
            if not chunk:
                raise EOFError
            found += chunk
        return bytes(found)


def _write(value: Any, out: bytearray, refer: Refer, depth: int) -> None:
    if depth > DEEPEST:
        raise BadData(TOO_DEEP)
    if len(out) > MOST:
        raise BadData(TOO_LARGE)
    kind = type(value)
    if (writer := _WRITERS.get(kind)) is not None:
        writer(value, out)
    elif (tag := SEQUENCES.get(kind)) is not None:
        _items(tag, value, len(value), out, refer, depth)
    elif kind is dict:
        _items(b"M", (each for pair in value.items() for each in pair), len(value), out, refer, depth)
    elif (base := next((each for each in _BASES if isinstance(value, each)), None)) is not None:
        _write(_BASES[base](value), out, refer, depth)
    elif hasattr(kind, "tolist"):  # numpy's arrays and numbers
        _write(value.tolist(), out, refer, depth + 1)
    elif isinstance(value, Integral):
        _write(int(value), out, refer, depth)
    elif isinstance(value, Real):
        _write(float(value), out, refer, depth)
    else:
        out += b"R"
        _write(refer(value), out, refer, depth)


def _items(tag: bytes, items: Iterable[Any], count: int, out: bytearray, refer: Refer, depth: int) -> None:
    out += tag + _LENGTH.pack(count)
    for each in items:
        _write(each, out, refer, depth + 1)


def _write_bytes(tag: bytes, data: bytes, out: bytearray) -> None:
    out += tag + _LENGTH.pack(len(data)) + data


def _write_int(value: int, out: bytearray) -> None:
    _write_bytes(b"I", value.to_bytes(value.bit_length() // 8 + 1, "big", signed=True), out)


_WRITERS: dict[type, Callable[[Any, bytearray], None]] = {
    type(None): lambda _, out: out.extend(b"N"),
    bool: lambda value, out: out.extend(b"T" if value else b"F"),
    int: _write_int,
    float: lambda value, out: out.extend(b"D" + _FLOAT.pack(value)),
    str: lambda value, out: _write_bytes(b"S", value.encode("utf-8", "surrogatepass"), out),
    bytes: lambda value, out: _write_bytes(b"B", value, out),
}
# How an instance of a subclass becomes one of the type itself, without any method of the subclass.
_BASES: dict[type, Callable[[Any], Any]] = {
    int: int.__pos__,
    float: float.__pos__,
    str: str.__str__,
    bytes: lambda value: bytes.__getitem__(value, slice(None)),
    list: lambda value: list.__getitem__(value, slice(None)),
    tuple: lambda value: tuple.__getitem__(value, slice(None)),
    set: lambda value: set(set.__iter__(value)),
    frozenset: lambda value: frozenset(frozenset.__iter__(value)),
    dict: lambda value: {key: dict.__getitem__(value, key) for key in dict.__iter__(value)},
}


class _Reader:
    def __init__(self, data: bytes, resolve: Resolve) -> None:
        self._data, self._resolve, self.at = data, resolve, 0

    def value(self, depth: int) -> Any:
        if depth > DEEPEST:
            raise BadData(TOO_DEEP)
        tag = self._take(1)
        if tag in CONSTANTS:
            return CONSTANTS[tag]
        if tag == b"D":
            return _FLOAT.unpack(self._take(_FLOAT.size))[0]
        if tag == b"R":
            reference = self.value(depth + 1)
            if type(reference) is not tuple:
                raise BadData("it is no plain data: a reference is no tuple")
            return self._resolve(reference)
        return self._sized(tag, _LENGTH.unpack(self._take(_LENGTH.size))[0], depth + 1)

    def _sized(self, tag: bytes, length: int, depth: int) -> Any:
        """Return a value whose length is known."""
        if tag == b"I":
            return int.from_bytes(self._take(length), "big", signed=True)
        if tag == b"S":
            return self._take(length).decode("utf-8", "surrogatepass")
        if tag == b"B":
            return self._take(length)
        if tag == b"M":
            return {self.value(depth): self.value(depth) for _ in range(self._count(2 * length) // 2)}
        if tag not in MADE:
            raise BadData("it is no plain data: an unknown tag")
        return MADE[tag]([self.value(depth) for _ in range(self._count(length))])

    def _take(self, size: int) -> bytes:
        self._count(size)
        self.at += size
        return self._data[self.at - size : self.at]

    def _count(self, count: int) -> int:
        """Return `count`, of items that have a byte each at least."""
        if count > len(self._data) - self.at:
            raise BadData("it is no plain data: it ends early")
        return count
