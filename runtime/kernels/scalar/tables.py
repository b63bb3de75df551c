"""Tables of functions of float32 by pieces (`piecewise_polynomial.py`): `python -m codegen pieces` makes `tables.json`.

It has, by name, the function and its arguments, the largest error in units of the last place, and the rows.
"""

import functools
import json
from pathlib import Path
from typing import Any

import numpy as np

from .piecewise_polynomial import single

FILE = Path(__file__).with_suffix(".json")


@functools.cache
def fitted_tables() -> dict[str, Any]:
    return json.loads(FILE.read_text(encoding="utf-8"))


def table(name: str) -> tuple[tuple[np.float32, ...], ...]:
    return single(*fitted_tables()[name]["rows"])
