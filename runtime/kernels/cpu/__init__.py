"""Structured kernels for the CPU: NumPy arrays in, NumPy arrays out.

NumPy warns where inf and nan come out; here they are results like others, and no news.
"""

import warnings

warnings.filterwarnings("ignore", category=RuntimeWarning, module=__name__.replace(".", r"\."))
