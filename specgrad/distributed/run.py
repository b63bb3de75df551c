"""`torchrun --nproc-per-node 2 train.py`, or `python -m specgrad.distributed.run`.

The code is in specgrad.runtime.extensions.distributed.launcher.
"""

import sys

from ..runtime.extensions.distributed.launcher import main

__all__ = ["main"]

if __name__ == "__main__":
    sys.exit(main())
