"""The strengths that make scores most likely, and how sure they are.

A bot of strength s beats one of strength t with probability 1 / (1 + exp(t - s)). The logarithm of the likelihood, with
`prior` / 2 times the squared distances from the mean taken off, is concave; Newton's method climbs it. Its steps come
from conjugate gradients (Hestenes and Stiefel, 1952), so that no matrix is solved for n strengths.

Only differences are known. So the mean is 0, unless some strengths are given as known. Covariances are exact: the
inverse of the information (Fisher's, with the prior), by its Cholesky factor; n^3 / 3 steps and as many again.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from palio_server.ratings.arrays import Matrix, Vector, np
from palio_server.ratings.table import ScoreTable

STEPS = 200  # Newton needs about ten
CLOSE = 1e-6  # units of strength; what remains after such a step is less than a thousandth of it
ROUGH = 1e-3  # the precision of conjugate gradients for a step: the next step corrects the rest
FULL = 20  # where more than one of so many possible pairs have met, a matrix is quicker than looking at pairs
BLOCK = 64  # rows of a triangle that is inverted at once
OVERSHOT = 0.1  # of the slope at the start of a step; beyond this its end lies too far down the other side


@dataclass(frozen=True, slots=True)
class Fit:
    """The fitted strengths by bot, and the information of each pair: met p (1 - p), p the first one's
    expected score.
    """

    table: ScoreTable
    prior: float
    strength: Vector
    weight: Vector
    free: Vector  # 1, or 0 where a strength was given

    def deviations(self) -> Vector:
        """Return the standard deviation of each strength: around the mean, or around those that were given."""
        factor, offset = self._factor()
        found: Vector = np.sqrt(np.maximum(np.einsum("ij,ij->j", factor, factor) - offset, 0.0)) * self.free
        return found

    def covariance(self) -> Matrix:
        """Return the covariance of all strengths, by their place in the table."""
        factor, offset = self._factor()
        found: Matrix = (factor.T @ factor - offset) * np.outer(self.free, self.free)
        return found

    def _factor(self) -> tuple[Matrix, float]:
        """Return F and c so that F'F - c is the covariance.

        Without a given strength the information contains nothing about the mean: some is added, and subtracted
        afterwards.
        """
        size, table = len(self.strength), self.table
        diagonal = table.sums(self.weight, self.weight) + self.prior
        known = max(float(diagonal.mean()), 1e-12) if self.free.all() else 0.0  # of the mean
        shift = (known - self.prior) / size
        information = np.full((size, size), shift)
        information[table.first, table.second] = information[table.second, table.first] = shift - self.weight
        np.fill_diagonal(information, diagonal + shift)
        if known:
            return _inverse_of_lower(_cholesky(information)), 1 / (known * size)
        given = self.free == 0
        information[given, :] = information[:, given] = 0.0
        information[given, given] = 1.0
        return _inverse_of_lower(_cholesky(information)), 0.0


def fit(
    table: ScoreTable, prior: float = 0.0, *, given: Mapping[int, float] | None = None, start: Vector | None = None
) -> Fit:
    """Return the fit. Raises ArithmeticError if no finite strengths are the likeliest: without a prior, of a table in
    parts.
    """
    size, known = len(table), given or {}
    free = np.ones(size)
    free[list(known)] = 0.0
    strength = np.zeros(size) if start is None else start.astype(np.float64)
    for place, value in known.items():
        strength[place] = value
    slope, weight = _slope(table, strength, prior, free)
    for _ in range(STEPS):
        step = _conjugate_gradients(_operator(table, weight, prior, free), _diagonal(table, weight, prior), slope)
        steepness = float(slope @ step)
        while True:
            after, weight = _slope(table, strength + step, prior, free)
            if np.abs(step).max(initial=0.0) < CLOSE or float(after @ step) >= -OVERSHOT * steepness:
                break
            step /= 2  # where wins are all on one side, a full step overshoots
        strength, slope = strength + step, after
        if np.abs(step).max(initial=0.0) < CLOSE:
            break
    else:
        raise ArithmeticError(f"the ratings of {size} bots did not settle in {STEPS} steps")
    if not known:
        strength -= strength.mean() if size else 0.0
    return Fit(table, prior, strength, weight, free)


def _slope(table: ScoreTable, strength: Vector, prior: float, free: Vector) -> tuple[Vector, Vector]:
    """Return the derivative of the log likelihood in each strength, and the weight of each pair."""
    expected = (1 + np.tanh((strength[table.first] - strength[table.second]) / 2)) / 2  # logistic, without overflow
    better = table.scored - table.met * expected
    slope = table.sums(better, -better) - prior * (strength - strength.mean())
    return slope * free, table.met * expected * (1 - expected)


def _diagonal(table: ScoreTable, weight: Vector, prior: float) -> Vector:
    return table.sums(weight, weight) + max(prior, 1e-12)


def _operator(table: ScoreTable, weight: Vector, prior: float, free: Vector) -> Callable[[Vector], Vector]:
    """Return the product of the information matrix with a vector, whose given parts are 0.

    Without a given strength the matrix contains nothing about the mean, where rounding errors would add up without end:
    some is added. A slope's sum is 0 then, so that its step does not change.
    """
    first, second = table.first, table.second
    diagonal = table.sums(weight, weight) + prior
    of_mean = max(float(diagonal.mean()), 1e-12) if free.all() else -prior
    if len(first) * FULL > len(table) ** 2 / 2:
        matrix = _weights(table, weight)
        return lambda way: (diagonal * way - matrix @ way + of_mean * way.mean()) * free
    return lambda way: (
        (diagonal * way - table.sums(weight * way[second], weight * way[first]) + of_mean * way.mean()) * free
    )


def _weights(table: ScoreTable, weight: Vector) -> Matrix:
    """Return at `[i, j]` the weight of the games of bots i and j."""
    matrix = np.zeros((len(table), len(table)))
    matrix[table.first, table.second] = weight
    matrix[table.second, table.first] = weight
    return matrix


def _conjugate_gradients(image_of: Callable[[Vector], Vector], diagonal: Vector, slope: Vector) -> Vector:
    """Return the step that the information matrix turns into `slope`, roughly; the matrix need not be written down."""
    step, rest = np.zeros(len(slope)), slope
    scaled = rest / diagonal
    way, size = scaled, float(rest @ scaled)
    enough = size * ROUGH**2
    for _ in range(2 * len(slope)):
        if size <= enough:
            break
        image = image_of(way)
        bend = float(way @ image)
        if bend <= 0:  # rounding: nothing is known in this direction
            break
        far = size / bend
        step, rest = step + far * way, rest - far * image
        scaled = rest / diagonal
        size, before = float(rest @ scaled), size
        way = scaled + size / before * way
    return step


def _cholesky(matrix: Matrix) -> Matrix:
    lower: Matrix = np.linalg.cholesky(matrix).astype(np.float64, copy=False)
    return lower


def _inverse_of_lower(lower: Matrix) -> Matrix:
    """Return the inverse of a lower triangle, by halves: most of the work is products of matrices."""
    size = len(lower)
    if size <= BLOCK:
        inverse: Matrix = np.linalg.inv(lower).astype(np.float64, copy=False)
        return inverse
    half = size // 2
    result = np.zeros_like(lower)
    result[:half, :half] = top = _inverse_of_lower(lower[:half, :half])
    result[half:, half:] = bottom = _inverse_of_lower(lower[half:, half:])
    result[half:, :half] = -(bottom @ lower[half:, :half]) @ top
    return result
