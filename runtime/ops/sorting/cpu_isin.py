"""Which elements are among others."""

from __future__ import annotations

import numpy as np

Array = np.ndarray


def is_among(elements: Array, test_elements: Array, assume_unique: bool, invert: bool) -> Array:
    """Whether each element equals one of `test_elements`; nan equals nothing. What is unique anyway is no matter."""
    return np.isin(elements, test_elements, invert=invert)
