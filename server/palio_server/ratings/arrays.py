"""numpy with one thread for linear algebra, loaded when it is first used; all rating code takes its arrays from here.

To load it takes longer than a match may wait, and a server starts without: most of its commands rate no bots.

Matrices of a thousand bots are small. Beside bots that keep all cores busy, several threads wait for each other longer
than they compute: a round robin of 1,000 took 1.0 s instead of 0.4 s. OpenBLAS reads the number when it is loaded, so
it is set for that time only, and programs started later do not inherit it. A number that is given in the environment
stays, and so does that of a numpy which was loaded before.
"""

import os
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Vector = npt.NDArray[np.float64]
    Matrix = npt.NDArray[np.float64]
    Index = npt.NDArray[np.intp]
else:
    Vector = Matrix = Index = Any

    class _Numpy:
        """numpy's functions and types by their names; each is kept when it was asked for once."""

        def __getattr__(self, name: str) -> Any:
            found = getattr(_loaded(), name)
            setattr(self, name, found)
            return found

    np = _Numpy()

_THREADS = "OPENBLAS_NUM_THREADS"

__all__ = ["Index", "Matrix", "Vector", "np"]


def _loaded() -> Any:
    if _THREADS in os.environ:
        import numpy  # noqa: PLC0415, ICN001  see above
    else:
        os.environ[_THREADS] = "1"
        import numpy  # noqa: PLC0415, ICN001  see above

        os.environ.pop(_THREADS, None)  # two threads may be here at once
    return numpy
