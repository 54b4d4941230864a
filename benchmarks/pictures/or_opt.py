"""A few cities in a row that are better elsewhere."""

from palio_clients.search.tours import nearest_neighbour, or_opt_beside, or_opt_from, two_opt
from pictures import cities
from pictures.drawing.svg import Sheet
from pictures.two_opt import SIZE, three_maps

SEED = 52


def picture() -> Sheet:
    instance = cities.instance(SIZE, SEED)
    distance = cities.tours(instance).distance
    return three_maps(
        instance,
        two_opt(nearest_neighbour(distance), distance).state,
        [or_opt_from, or_opt_beside],
        "Or-opt: {gains} changes where 2-opt knows none, the largest of which is shown",
        f"{SIZE} cities. Up to three in a row are put in somewhere else: three legs (red) for three others (green).",
    )
