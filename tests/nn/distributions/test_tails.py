"""Distributions beside mpmath over grids of parameters and values, far into both tails: see errors.py."""

from __future__ import annotations

import numpy as np
import pytest

from tests.nn.distributions.errors import worst_errors
from tests.nn.distributions.references import EXCEPTIONS, LIMIT, REFERENCES

pytestmark = pytest.mark.cpu("compares numbers with mpmath's")


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("name", REFERENCES)
def test_functions_and_first_derivatives(name: str, dtype: type) -> None:
    """log_prob, cdf, icdf and their derivatives are exact to some roundings of their inputs and of the result."""
    for quantity, worst in worst_errors(name, dtype).items():
        limit, _ = EXCEPTIONS.get((name, quantity), (LIMIT, ""))
        assert worst.error <= limit, (quantity, worst)


def test_exceptions_are_of_functions_that_exist() -> None:
    """Each names a distribution and one of its derivatives; none is of a function itself."""
    for name, quantity in EXCEPTIONS:
        function, _, argument = quantity.removeprefix("d ").partition(" / d ")
        assert function in REFERENCES[name].formulas and argument in (*REFERENCES[name].parameters, "value")
