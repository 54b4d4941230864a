"""Colours: absolute preferences that prevent a pair (C3) and the allocation of colours (article 5)."""

from typing import NamedTuple

from palio_server.tournament.dutch.player import ABSOLUTE, NONE, OTHER, Colour, DutchPlayer


class Allocation(NamedTuple):
    """The players with White and Black, and the article that decided."""

    white: DutchPlayer
    black: DutchPlayer
    article: str


def same_preference(one: DutchPlayer, other: DutchPlayer) -> bool:
    return one.preference == other.preference != ""


def clash(one: DutchPlayer, other: DutchPlayer) -> bool:
    """Return True if both have an absolute preference for the same colour (C3)."""
    return one.strength == other.strength == ABSOLUTE and one.preference == other.preference


def beyond_two(one: DutchPlayer, other: DutchPlayer) -> bool:
    """Return True if one of them would get a colour difference beyond two (C10)."""
    return one.imbalance > 1 and other.imbalance > 1 and same_preference(one, other)


def three_in_a_row(one: DutchPlayer, other: DutchPlayer) -> bool:
    """Return True if one of them would get the same colour three times in a row (C11)."""
    if not clash(one, other):
        return False
    if one.imbalance == other.imbalance:
        return one.repeated == other.repeated != ""
    denied = min(one, other, key=lambda each: each.imbalance)
    return denied.repeated == OTHER[denied.preference]


def strong_denied(one: DutchPlayer, other: DutchPlayer) -> bool:
    """Return True if one of them would not get a strong preference (C13); two absolute ones are handled
    by C10 and C11.
    """
    if not same_preference(one, other) or one.strength == other.strength == ABSOLUTE:
        return False
    return one.strength > 1 and other.strength > 1


def allocate(one: DutchPlayer, other: DutchPlayer, initial: Colour) -> Allocation:
    """Return the colours of two that meet (article 5.2). `initial`: the colour of the first odd number in round 1."""
    higher, lower = sorted((one, other), key=lambda each: each.rank)
    granted, article = _granted(higher, lower, initial)
    return Allocation(higher, lower, article) if granted == "white" else Allocation(lower, higher, article)


def _granted(higher: DutchPlayer, lower: DutchPlayer, initial: Colour) -> tuple[Colour, str]:
    """Return the colour of the higher ranked one, and the article that decides."""
    if not same_preference(higher, lower) and (higher.preference or lower.preference):
        return higher.preference or OTHER[lower.preference], "5.2.1"
    if stronger := _stronger(higher, lower):
        return (higher.preference if stronger is higher else OTHER[lower.preference]), "5.2.2"
    for mine, theirs in zip(reversed(higher.colours), reversed(lower.colours), strict=False):
        if mine != theirs:
            return theirs, "5.2.3"
    if higher.preference:
        return higher.preference, "5.2.4"
    return (initial if higher.place % 2 else OTHER[initial]), "5.2.5"


def _stronger(one: DutchPlayer, other: DutchPlayer) -> DutchPlayer | None:
    """Return the player whose preference is granted first: the stronger one; of two absolute ones the
    wider difference.
    """
    if one.strength == other.strength == NONE:
        return None
    if one.strength != other.strength:
        return max(one, other, key=lambda each: each.strength)
    if one.strength == ABSOLUTE and one.imbalance != other.imbalance:
        return max(one, other, key=lambda each: each.imbalance)
    return None
