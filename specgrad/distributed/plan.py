"""`python -m specgrad.distributed.plan model.py`. The code is in specgrad.nn.parallel.planning."""

import sys

from ..nn.parallel.planning.command import main

__all__ = ["main"]

if __name__ == "__main__":
    sys.exit(main())
