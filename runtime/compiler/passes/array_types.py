"""numba's types of plain NumPy arrays, found without `numpy.ma`, which takes longer to import than first kernels."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.core.typing.typeof import typeof_impl
from numba.np.numpy_support import from_dtype, map_layout

_PLAIN = "?bBhHiIlLqQfdFD"  # characters of the dtypes that need no description
_ndarray_typeof = typeof_impl.dispatch(np.ndarray)


@typeof_impl.register(np.ndarray)
def _type_of_array(value: Any, context: Any) -> Any:
    if type(value) is not np.ndarray or value.dtype.char not in _PLAIN or not value.dtype.isnative:
        return _ndarray_typeof(value, context)
    return types.Array(from_dtype(value.dtype), value.ndim, map_layout(value), readonly=not value.flags.writeable)
