"""PyTorch's `torch.utils.benchmark`, by names: written from `torch_names.py`."""

from specgrad.runtime.extensions.benchmark.compare import Compare as Compare
from specgrad.runtime.extensions.benchmark.measurement import Measurement as Measurement
from specgrad.runtime.extensions.benchmark.measurement import TaskSpec as TaskSpec
from specgrad.runtime.extensions.benchmark.measurement import ordered_unique as ordered_unique
from specgrad.runtime.extensions.benchmark.measurement import select_unit as select_unit
from specgrad.runtime.extensions.benchmark.measurement import trim_sigfig as trim_sigfig
from specgrad.runtime.extensions.benchmark.measurement import unit_to_english as unit_to_english
from specgrad.runtime.extensions.benchmark.timer import Language as Language
from specgrad.runtime.extensions.benchmark.timer import Timer as Timer
from specgrad.runtime.extensions.benchmark.timer import set_torch_threads as set_torch_threads
from specgrad.runtime.extensions.benchmark.timer import timer as timer
