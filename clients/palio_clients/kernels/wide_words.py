"""Words of more than 64 bits, for boards of more than 64 squares: LLVM's integers, which can have any width.

`Wide(128)` and `Wide(256)` are types of numba with the operators of a word, & | ^ ~ << >> and ==; a shift is by uint64.
Code with those and with the functions below works for them and for uint64 alike, and is compiled for each type that is
used. They exist inside kernels only: arrays store them in parts of 64 bits, the lowest first.
"""

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba import extending, types
from numba.core import datamodel

from palio_clients.kernels.jit import Array, Int, Word, intrinsic, kernel

PARTS = 4  # of the widest word


class Wide(types.Type):
    """An unsigned integer of so many bits."""

    def __init__(self, bits: int) -> None:
        self.bits = bits
        super().__init__(name=f"Wide({bits})")


@extending.register_model(Wide)
class _WideModel(datamodel.models.PrimitiveModel):
    def __init__(self, manager: Any, wide: Wide) -> None:
        super().__init__(manager, wide, ir.IntType(wide.bits))  # type: ignore[no-untyped-call]


def _operator(symbol: Any, generate: Callable[[Any, Any, Any], Any], *, truth: bool = False) -> None:
    """Register an operator of two words of the same type with numba."""

    @intrinsic
    def operation(_typing: Any, left: Any, _right: Any) -> Any:
        result = types.boolean if truth else left
        return result(left, left), lambda _context, builder, _signature, two: generate(builder, *two)

    @extending.overload(symbol, strict=False)
    def _typed(left: Any, right: Any) -> Any:
        if isinstance(left, Wide) and left == right:
            return lambda left, right: operation(left, right)  # noqa: PLW0108 - numba wants a function of its own
        return None


def _shift(symbol: Any, name: str) -> None:
    """Register a shift of a word by uint64 with numba."""

    @intrinsic
    def operation(_typing: Any, word: Any, count: Any) -> Any:
        def generate(_context: Any, builder: Any, _signature: Any, two: Any) -> Any:
            return getattr(builder, name)(two[0], builder.zext(two[1], two[0].type))

        return word(word, count), generate

    @extending.overload(symbol, strict=False)
    def _typed(word: Any, count: Any) -> Any:
        if isinstance(word, Wide) and count == types.uint64:
            return lambda word, count: operation(word, count)  # noqa: PLW0108
        return None


_operator(operator.and_, lambda builder, a, b: builder.and_(a, b))
_operator(operator.or_, lambda builder, a, b: builder.or_(a, b))
_operator(operator.xor, lambda builder, a, b: builder.xor(a, b))
_operator(operator.eq, lambda builder, a, b: builder.icmp_unsigned("==", a, b), truth=True)
_operator(operator.ne, lambda builder, a, b: builder.icmp_unsigned("!=", a, b), truth=True)
_operator(operator.lt, lambda builder, a, b: builder.icmp_unsigned("<", a, b), truth=True)
_shift(operator.lshift, "shl")
_shift(operator.rshift, "lshr")


@intrinsic
def _inverted(_typing: Any, word: Any) -> Any:
    return word(word), lambda _context, builder, _signature, one: builder.not_(one[0])


@extending.overload(operator.invert, strict=False)
def _invert(word: Any) -> Any:
    return (lambda word: _inverted(word)) if isinstance(word, Wide) else None  # noqa: PLW0108


def _counted(name: str) -> Any:
    """Return a function that counts bits in a word by LLVM, as int64."""

    @intrinsic
    def count(_typing: Any, word: Any) -> Any:
        def generate(_context: Any, builder: Any, _signature: Any, one: Any) -> Any:
            found = builder.ctpop(one[0]) if name == "ctpop" else builder.cttz(one[0], ir.Constant(ir.IntType(1), 0))
            return found if found.type.width == 64 else builder.trunc(found, ir.IntType(64))

        return types.int64(word), generate

    return count


size = _counted("ctpop")  # how many bits are set
first = _counted("cttz")  # the index of the lowest bit that is set


@intrinsic
def lowest_of(_typing: Any, word: Any) -> Any:
    """Return the lowest bit that is set."""
    return word(word), lambda _context, builder, _signature, one: builder.and_(one[0], builder.neg(one[0]))


@intrinsic
def mirrored(_typing: Any, word: Any) -> Any:
    """Return all bits in the opposite order."""
    return word(word), lambda _context, builder, _signature, one: builder.bitreverse(one[0])


@intrinsic
def nothing_like(_typing: Any, word: Any) -> Any:
    """Return zero, of the same type."""
    return word(word), lambda _context, _builder, _signature, one: ir.Constant(one[0].type, 0)


@intrinsic
def part_of(_typing: Any, word: Any, _number: Any) -> Any:
    """Return 64 bits of a word; 0 beyond its end."""

    def generate(_context: Any, builder: Any, _signature: Any, two: Any) -> Any:
        word, number = two
        if word.type.width == 64:
            none = ir.Constant(word.type, 0)
            return builder.select(builder.icmp_unsigned("==", number, ir.Constant(number.type, 0)), word, none)
        bits = builder.zext(builder.shl(number, ir.Constant(number.type, 6)), word.type)
        inside = builder.icmp_unsigned("<", bits, ir.Constant(word.type, word.type.width))
        shifted = builder.lshr(word, builder.select(inside, bits, ir.Constant(word.type, 0)))
        none = ir.Constant(ir.IntType(64), 0)
        return builder.select(inside, builder.trunc(shifted, ir.IntType(64)), none)

    return types.uint64(word, types.int64), generate


@intrinsic
def _joined(_typing: Any, word: Any, _low: Any, _high: Any) -> Any:
    """Return a word of the type of `word` with `low` below and `high`, shifted by 64, above it."""

    def generate(_context: Any, builder: Any, _signature: Any, three: Any) -> Any:
        like, low, high = three
        if like.type.width == 64:
            return low
        return builder.or_(builder.zext(low, like.type), builder.shl(high, ir.Constant(like.type, 64)))

    return word(word, types.uint64, word), generate


@intrinsic
def parts_in(_typing: Any, word: Any) -> Any:
    """Return how many parts a word of this type has."""

    def generate(_context: Any, _builder: Any, _signature: Any, one: Any) -> Any:
        return ir.Constant(ir.IntType(64), one[0].type.width // 64)

    return types.int64(word), generate


@intrinsic
def wide128(_typing: Any) -> Any:
    """Return zero in 128 bits, as the first value of that type."""
    wide = Wide(128)
    return wide(), lambda _context, _builder, _signature, _none: ir.Constant(ir.IntType(128), 0)


@intrinsic
def wide256(_typing: Any) -> Any:
    """Return zero in 256 bits."""
    wide = Wide(256)
    return wide(), lambda _context, _builder, _signature, _none: ir.Constant(ir.IntType(256), 0)


@kernel
def loaded(like: Word, parts: Array) -> Word:
    """Return the word in an array of parts, in the type of `like`."""
    word = nothing_like(like)
    for number in range(parts_in(like) - 1, -1, -1):
        word = _joined(like, parts[number], word)
    return word


@kernel
def stored(word: Word, parts: Array) -> None:
    for number in range(parts_in(word)):
        parts[number] = part_of(word, number)


def parts(number: int) -> list[np.uint64]:
    """Return a number of Python in parts."""
    return [np.uint64(number >> 64 * part & (1 << 64) - 1) for part in range(PARTS)]


def kind_of(squares: int) -> Int:
    """Return how many bits a word needs for so many squares: 64, 128 or 256."""
    return 64 if squares <= 64 else 128 if squares <= 128 else 256
