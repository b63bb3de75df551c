"""CPU kernels that several families are built of: copies, sums, matrix products, index_select. NumPy's warnings of inf
and nan, here results like others, are off in this package."""

import warnings

warnings.filterwarnings("ignore", category=RuntimeWarning, module=__name__.replace(".", r"\."))
