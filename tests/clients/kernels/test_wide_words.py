"""Wide words do in kernels what Python's integers do, to the last bit."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palio_clients.kernels.bits import ZERO
from palio_clients.kernels.jit import kernel
from palio_clients.kernels.wide_words import (
    PARTS,
    first,
    kind_of,
    loaded,
    lowest_of,
    mirrored,
    nothing_like,
    part_of,
    parts,
    size,
    stored,
    wide128,
    wide256,
)


def number_in(parts):
    """What `parts` took apart."""
    return sum(int(part) << 64 * at for at, part in enumerate(parts))


@kernel
def worked(like, a, b, shift, out):
    """Every operator and function on two words."""
    one, other = loaded(like, a), loaded(like, b)
    stored(one & ~other, out[0])
    stored(one | other, out[1])
    stored(one ^ other, out[2])
    stored(one << shift, out[3])
    stored(one >> shift, out[4])
    stored(mirrored(one), out[5])
    stored(lowest_of(one), out[6])
    for number in range(PARTS):
        out[7, number] = part_of(one, number)
    return size(one), first(one), one == other, one != other, one < other, one == nothing_like(one)


@kernel
def worked64(a, b, shift, out):
    return worked(ZERO, a, b, shift, out)


@kernel
def worked128(a, b, shift, out):
    return worked(wide128(), a, b, shift, out)


@kernel
def worked256(a, b, shift, out):
    return worked(wide256(), a, b, shift, out)


KINDS = {64: worked64, 128: worked128, 256: worked256}


def described(bits, one, other, shift):
    out = np.zeros((8, PARTS), np.uint64)
    found = KINDS[bits](np.array(parts(one), np.uint64), np.array(parts(other), np.uint64), np.uint64(shift), out)
    return [number_in(each) for each in out], found


def expected(bits, one, other, shift):
    full = (1 << bits) - 1
    words = [one & ~other & full, one | other, one ^ other, one << shift & full, one >> shift]
    words += [int(f"{one:0{bits}b}"[::-1], 2), one & -one, one]
    lowest = (one & -one).bit_length() - 1 if one else bits
    return words, (one.bit_count(), lowest, one == other, one != other, one < other, one == 0)


@pytest.mark.first(1)
@pytest.mark.parametrize("bits", KINDS)
@settings(deadline=None)
@given(st.data())
def test_a_word_is_an_integer_of_so_many_bits(bits, data):
    words = st.integers(0, (1 << bits) - 1)
    one, other, shift = data.draw(words), data.draw(words), data.draw(st.integers(0, bits - 1))
    assert described(bits, one, other, shift) == expected(bits, one, other, shift)
    assert described(bits, one, one, shift) == expected(bits, one, one, shift)
    assert described(bits, 1 << shift, 0, shift) == expected(bits, 1 << shift, 0, shift)


@given(st.integers(0, (1 << 256) - 1))
def test_a_number_is_the_sum_of_its_parts(number):
    assert number_in(parts(number)) == number


@pytest.mark.parametrize(("squares", "bits"), [(1, 64), (64, 64), (65, 128), (128, 128), (129, 256), (256, 256)])
def test_a_board_has_the_narrowest_word_that_holds_it(squares, bits):
    assert kind_of(squares) == bits
