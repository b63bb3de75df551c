"""What `mpiexec` starts: every check on this rank; what each rank has found is in a file of its number."""

from __future__ import annotations

import datetime
import json
import sys
import traceback
from pathlib import Path

from specgrad import distributed as dist
from tests.extensions.distributed import (  # noqa: F401 - they register their checks
    checkpointing,
    differentiating,
    failures,
    sharding,
    splitting,
    training,
)
from tests.extensions.distributed.checks import CHECKS


def main(folder: str) -> None:
    """Run all checks in the order of the file, the same on all ranks."""
    dist.init_process_group("mpi", timeout=datetime.timedelta(seconds=60))
    rank, size = dist.get_rank(), dist.get_world_size()
    found = {}
    for name, check in CHECKS.items():
        dist.barrier()
        try:
            check(rank, size)
            found[name] = "passed"
        except BaseException:
            found[name] = traceback.format_exc()
            break  # the other ranks are elsewhere now
    Path(folder, f"{rank}.json").write_text(json.dumps(found), encoding="utf-8")
    if found[name] == "passed":
        dist.barrier()
        dist.destroy_process_group()
    sys.exit(found[name] != "passed")


if __name__ == "__main__":
    main(sys.argv[1])
