"""numpy with one thread for linear algebra; all rating code takes its arrays from here.

Matrices of a thousand bots are small. Beside bots that keep all cores busy, several threads wait for each other longer
than they compute: a round robin of 1,000 took 1.0 s instead of 0.4 s. OpenBLAS reads the number when it is loaded, so
it is set for that time only, and programs started later do not inherit it. A number that is given in the environment
stays, and so does that of a numpy which was loaded before.
"""

import os

_THREADS = "OPENBLAS_NUM_THREADS"

if _THREADS in os.environ:
    import numpy as np
else:
    os.environ[_THREADS] = "1"
    import numpy as np

    del os.environ[_THREADS]

__all__ = ["np"]
