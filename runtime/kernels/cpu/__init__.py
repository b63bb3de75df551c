"""Kernels that several families are built of. NumPy's warnings of inf and nan, here results, are off in this
package."""

import warnings

warnings.filterwarnings("ignore", category=RuntimeWarning, module=__name__.replace(".", r"\."))
