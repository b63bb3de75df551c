"""Processes that share tensors: Python's `multiprocessing`, whose queues, pipes and arguments share tensors' memory.

The code is in specgrad.runtime.extensions.multiprocessing. Loaded when it is first named.
"""

import multiprocessing as _multiprocessing
from multiprocessing import *

from .. import torch_modules as _torch_modules
from ..runtime.extensions.multiprocessing.reductions import (
    get_all_sharing_strategies,
    get_sharing_strategy,
    init_reductions,
    set_sharing_strategy,
)
from ..runtime.methods.argument_guard import guard_module as _guard_module
from . import pool, queue, reductions
from .spawn import ProcessContext, ProcessExitedException, ProcessRaisedException, SpawnContext, spawn, start_processes

__all__ = ["ProcessContext", "ProcessExitedException", "ProcessRaisedException", "SpawnContext"]
__all__ += ["get_all_sharing_strategies", "get_sharing_strategy", "init_reductions", "pool", "queue", "reductions"]
__all__ += ["set_sharing_strategy", "spawn", "start_processes"]
_guard_module(__name__)
_torch_modules.attach(__name__)
__all__ += _multiprocessing.__all__

init_reductions()
