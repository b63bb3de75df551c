"""`python -m specgrad.distributed.timeline OUT.json RANK0.json RANK1.json`, and `export` for running programs.

The code is in specgrad.runtime.distributed.timeline.
"""

import sys

from ..runtime.distributed.timeline.command import export, main
from ..runtime.distributed.timeline.overlap import Overlap, table

__all__ = ["Overlap", "export", "main", "table"]

if __name__ == "__main__":
    sys.exit(main())
