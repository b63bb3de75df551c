"""What the kernels of row programs name besides `vocabulary.py`: a kernel has its own in the place of each.

Importing from here lets generated text read as ordinary Python; nothing here is ever called.
"""

from __future__ import annotations

from typing import Any

W: Any = None  # the type that sums and products are computed in
BLOCK: Any = None  # elements of a lane that are added in T before they are added in W
MIN_VALUE: Any = None  # what no element is below: -inf, or the least integer
MAX_VALUE: Any = None
thread_group: Any = None  # (): the number of this thread's team, which is that of its row
split_group: Any = None  # (parts): the row, and which part of it, that this thread's team has
split_range: Any = None  # (part, size, n): the first element of a part, and that after the last
lane: Any = None  # (): which thread of the team this is
lanes: Any = None  # (): how many threads the team has
begin: Any = None  # (layout, row): where a row begins in memory
element_offset: Any = None  # (layout, start, i): where element i of a row lies
shared_offset: Any = None  # (layout, row, i): where the number for element i lies that rows share
# (x): what all lanes have, put together; every lane gets it.
across_sum: Any = None
across_prod: Any = None
across_count: Any = None
across_max: Any = None
across_min: Any = None
across_argmax: Any = None  # (value, place)
across_argmin: Any = None
comes_first: Any = None  # (value, place, best, at): whether the first of the greatest is this one
comes_last: Any = None
