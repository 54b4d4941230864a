"""Words of 64 bits: single instructions of the processor that Python has no operators for.

Knuth, "The Art of Computer Programming", volume 4A (2011), 7.1.3 "Bitwise tricks and techniques".
"""

from typing import Any

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba import types

from palio_clients.kernels.jit import Int, Word, intrinsic, kernel

ZERO, ONE = np.uint64(0), np.uint64(1)


def _counted(name: str, *flags: Any) -> Any:
    """Return a function that counts bits in a word of 64 bits by LLVM, as int64."""

    @intrinsic
    def count(_typing: Any, _word: Any) -> Any:
        return types.int64(types.uint64), lambda _context, builder, _signature, one: getattr(builder, name)(
            one[0], *flags
        )

    return count


_DEFINED = ir.Constant(ir.IntType(1), 0)  # for zero, too

popcount = _counted("ctpop")  # how many bits are set
lowest = _counted("cttz", _DEFINED)  # the index of the lowest bit that is set; 64 if none is
highest = _counted("ctlz", _DEFINED)  # 63 less the index of the highest set bit: the leading zeros; 64 if none is set


@intrinsic
def raised(_typing: Any, flag: Any) -> Any:
    """Return whether another thread has raised the flag: read from memory each time, unlike a plain `flag[0]`."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        value = builder.load_atomic(array.data, "monotonic", 1)
        return builder.icmp_unsigned("!=", value, ir.Constant(value.type, 0))

    return types.boolean(flag), generate


@kernel
def first_of(word: Word) -> Word:
    """Return the lowest bit that is set."""
    return word & (~word + ONE)


@kernel
def nth_of(word: Word, number: Int) -> Word:
    """Return the bit that is set above `number` others."""
    for _ in range(number):
        word &= word - ONE
    return first_of(word)


@kernel
def scrambled(state: Word) -> Word:
    """Return a word in which every bit depends on every bit of `state`; one to one.

    SplitMix64's finaliser: Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA (2014). With
    states that grow by `STEP` it is that generator.
    """
    state = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    state = (state ^ (state >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return state ^ (state >> np.uint64(31))


STEP = np.uint64(0x9E3779B97F4A7C15)  # 2**64 over the golden ratio, odd


@kernel
def below(word: Word, limit: Int) -> Int:
    """Return a number from 0 to `limit` - 1, from the upper half of a random word, without a division.

    Lemire, "Fast random integer generation in an interval", ACM TOMACS 29 (2019). It is uneven by less than 2**-24 for
    limits up to 2**8.
    """
    return np.int64(((word >> np.uint64(32)) * np.uint64(limit)) >> np.uint64(32))
