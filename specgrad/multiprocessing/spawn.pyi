"""PyTorch's `torch.multiprocessing.spawn`, by names: written from `torch_names.py`."""

from specgrad.runtime.sharing.multiprocessing.errors import ProcessException as ProcessException
from specgrad.runtime.sharing.multiprocessing.errors import ProcessExitedException as ProcessExitedException
from specgrad.runtime.sharing.multiprocessing.errors import ProcessRaisedException as ProcessRaisedException
from specgrad.runtime.sharing.multiprocessing.spawn import ProcessContext as ProcessContext
from specgrad.runtime.sharing.multiprocessing.spawn import SpawnContext as SpawnContext
from specgrad.runtime.sharing.multiprocessing.spawn import spawn as spawn
from specgrad.runtime.sharing.multiprocessing.spawn import start_processes as start_processes
