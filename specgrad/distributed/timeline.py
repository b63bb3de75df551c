"""`python -m specgrad.distributed.timeline OUT.json RANK0.json RANK1.json`, and `export` for running programs.

The code is in specgrad.runtime.extensions.distributed.trace.
"""

import sys

from ..runtime.extensions.distributed.trace.merge import Overlap, export, main, table

__all__ = ["Overlap", "export", "main", "table"]

if __name__ == "__main__":
    sys.exit(main())
