"""`python -m specgrad.distributed.run -n 2 train.py`. The code is in specgrad.runtime.distributed.launching."""

import sys

from ..runtime.distributed.launching import main

__all__ = ["main"]

if __name__ == "__main__":
    sys.exit(main())
