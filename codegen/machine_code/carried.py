"""The kernels that are compiled ahead of time: all of them are measured, those of usual dtypes carried."""

from __future__ import annotations

from collections.abc import Iterator

from .element_kernels import element_kernels
from .known import Known
from .moving_kernels import moving_kernels
from .row_kernels import row_kernels
from .several_kernels import multi_tensor_kernels
from .sorting_kernels import sorting_kernels
from .texts import source_kernels


def all_known() -> Iterator[Known]:
    yield from element_kernels()
    yield from row_kernels()
    yield from multi_tensor_kernels()
    yield from moving_kernels()
    yield from sorting_kernels()
    yield from source_kernels()
