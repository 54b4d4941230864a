"""The nearest bot by rating is the same as by a search through all."""

from hypothesis import given
from hypothesis import strategies as st

from palio_server.tournament.ladder_pairing import Idle, RatingIndex, _distance

NAMES = [f"bot{number}" for number in range(12)]
ratings = st.sampled_from([1500.0, 1500.5, 1600.0]) | st.floats(500, 2500)


@st.composite
def crowds(draw):
    crowd = draw(st.lists(st.sampled_from(NAMES), unique=True, min_size=2, max_size=12))
    return [
        Idle(
            name,
            rating=draw(ratings),
            games=draw(st.integers(0, 3)),
            recent=tuple(draw(st.lists(st.sampled_from(NAMES), max_size=6))),
        )
        for name in crowd
    ]


@given(crowds(), st.data())
def test_the_best_company_is_the_one_that_a_look_at_everybody_finds(crowd, data):
    left, index = list(crowd), RatingIndex(crowd)
    while len(left) > 1:
        size = data.draw(st.integers(1, min(3, len(left) - 1)))
        group = []
        for _ in range(size):
            bot = data.draw(st.sampled_from(left))
            left.remove(bot), index.remove(bot)
            group.append(bot)

        def distance(other, group=group):
            return _distance(group, other, len(group))

        assert index.nearest(group, distance) == min(left, key=distance)


def test_a_crowd_of_one_rating_is_not_looked_through():
    crowd = [Idle(f"bot{number}") for number in range(1000)]
    index, looks = RatingIndex(crowd), 0

    def distance(other):
        nonlocal looks
        looks += 1
        return _distance(crowd[:1], other, 1)

    index.remove(crowd[0])
    for bot in crowd[1:]:
        assert index.nearest(crowd[:1], distance) is bot
        index.remove(bot)
    assert looks == len(crowd) - 1


def test_far_away_ratings_are_not_looked_at():
    crowd = [Idle(f"bot{number}", rating=1000.0 + number) for number in range(1000)]
    index, looks = RatingIndex(crowd), []
    index.remove(crowd[500])
    far = index.nearest(crowd[500:501], lambda other: looks.append(other) or _distance(crowd[500:501], other, 1))
    assert far is crowd[499]
    assert len(looks) == 2
