"""CPU kernels that several families are built of: copies, sums, matrix products, index_select.

NumPy warns where inf and nan come out; here they are results like others, so its warnings are off in this package.
"""

import warnings

warnings.filterwarnings("ignore", category=RuntimeWarning, module=__name__.replace(".", r"\."))
