"""What the CPU kernels of several families are built of: copies, sums, matrix products, rows read at places.

NumPy warns where inf and nan come out; here they are results like others, and no news.
"""

import warnings

warnings.filterwarnings("ignore", category=RuntimeWarning, module=__name__.replace(".", r"\."))
