"""PyTorch's `torch.utils.benchmark`, by names: written from `torch_names.py`."""

from specgrad.runtime.pytorch.measuring.compare import Compare as Compare
from specgrad.runtime.pytorch.measuring.measurement import Measurement as Measurement
from specgrad.runtime.pytorch.measuring.measurement import TaskSpec as TaskSpec
from specgrad.runtime.pytorch.measuring.measurement import ordered_unique as ordered_unique
from specgrad.runtime.pytorch.measuring.measurement import select_unit as select_unit
from specgrad.runtime.pytorch.measuring.measurement import trim_sigfig as trim_sigfig
from specgrad.runtime.pytorch.measuring.measurement import unit_to_english as unit_to_english
from specgrad.runtime.pytorch.measuring.timer import Language as Language
from specgrad.runtime.pytorch.measuring.timer import Timer as Timer
from specgrad.runtime.pytorch.measuring.timer import set_torch_threads as set_torch_threads
from specgrad.runtime.pytorch.measuring.timer import timer as timer
