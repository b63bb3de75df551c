"""PyTorch's `torch.multiprocessing.spawn`, by names: written from `torch_names.py`."""

from specgrad.runtime.extensions.multiprocessing.spawn import ProcessContext as ProcessContext
from specgrad.runtime.extensions.multiprocessing.spawn import ProcessException as ProcessException
from specgrad.runtime.extensions.multiprocessing.spawn import ProcessExitedException as ProcessExitedException
from specgrad.runtime.extensions.multiprocessing.spawn import ProcessRaisedException as ProcessRaisedException
from specgrad.runtime.extensions.multiprocessing.spawn import SpawnContext as SpawnContext
from specgrad.runtime.extensions.multiprocessing.spawn import spawn as spawn
from specgrad.runtime.extensions.multiprocessing.spawn import start_processes as start_processes
