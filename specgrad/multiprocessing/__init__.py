"""Processes that share tensors: Python's `multiprocessing`, whose queues, pipes and arguments share tensors' memory.

The code is in specgrad.runtime.sharing.multiprocessing. Loaded when it is first named.
"""

import multiprocessing as _multiprocessing
from multiprocessing import *

from .. import torch_modules as _torch_modules
from ..runtime.arguments import guard_module as _guard_module
from ..runtime.sharing.multiprocessing.reductions import init_reductions
from ..runtime.sharing.multiprocessing.strategy import (
    get_all_sharing_strategies,
    get_sharing_strategy,
    set_sharing_strategy,
)
from . import pool, queue, reductions
from .spawn import (
    ProcessContext,
    ProcessExitedException,
    ProcessRaisedException,
    SpawnContext,
    spawn,
    start_processes,
)

__all__ = [
    "ProcessContext",
    "ProcessExitedException",
    "ProcessRaisedException",
    "SpawnContext",
    "get_all_sharing_strategies",
    "get_sharing_strategy",
    "init_reductions",
    "pool",
    "queue",
    "reductions",
    "set_sharing_strategy",
    "spawn",
    "start_processes",
]
_guard_module(__name__)
_torch_modules.attach(__name__)
__all__ += _multiprocessing.__all__

init_reductions()
