"""Process groups between threads that stand for ranks: the same checks without MPI."""

import datetime
import threading
import traceback
import warnings

import pytest

from specgrad import distributed as dist
from specgrad.runtime.extensions.distributed.world import begin_in_thread
from specgrad.runtime.extensions.simulator.ranks import Board, SimulatedLink
from tests.extensions.distributed import checkpointing, failures, sharding, training  # noqa: F401 - they register their checks
from tests.extensions.distributed.checks import CHECKS

THREE = 3
SHARED = {"groups"}  # those that watch warnings, which threads share


@pytest.mark.parametrize("name", [name for name in CHECKS if name not in SHARED])
def test_check(name: str) -> None:
    """Three threads pass a check."""
    board, wrong = Board(THREE), []

    def rank(number: int) -> None:
        begin_in_thread(SimulatedLink(board, number), datetime.timedelta(seconds=30))
        try:
            CHECKS[name](number, THREE)
        except BaseException:
            wrong.append(f"rank {number}: {traceback.format_exc()}")

    threads = [threading.Thread(target=rank, args=(number,)) for number in range(THREE)]
    with warnings.catch_warnings():
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert not wrong, "\n".join(wrong)
    assert not dist.is_initialized()  # this thread is no rank
