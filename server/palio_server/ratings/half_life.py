"""How much a result still counts when it has aged: half of it after each half-life. Loads no numpy."""

from palio_rules.errors import BadOption

MOST_DAYS = 100_000.0  # of a half-life; nothing fades with more


def checked(half_life: float | None) -> float | None:
    """The half-life in days, if there is one. Raises BadOption."""
    if half_life is not None and not 0 < half_life <= MOST_DAYS:
        raise BadOption(f"a half-life is a number of days, more than 0 and at most {MOST_DAYS:g}; got {half_life:g}")
    return half_life
