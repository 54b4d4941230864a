"""What the tests of `tests/server/arena` have, too."""

from tournaments_world import king  # noqa: F401  # a fixture
