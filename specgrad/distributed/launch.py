"""`python -m specgrad.distributed.launch --nproc-per-node 2 train.py`: `torchrun`, for programs with `--local-rank`.

The code is in specgrad.runtime.extensions.distributed.launcher.
"""

import sys

from ..runtime.extensions.distributed.launcher import main as run


def main(args: list[str] | None = None) -> int:
    return run(args, launch=True)


if __name__ == "__main__":
    sys.exit(main())
