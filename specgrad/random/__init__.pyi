"""PyTorch's `torch.random`, by names: written from `torch_names.py`."""

from specgrad.runtime.tensor.generator import default_generator as default_generator
from specgrad.runtime.tensor.generator import fork_rng as fork_rng
from specgrad.runtime.tensor.generator import get_rng_state as get_rng_state
from specgrad.runtime.tensor.generator import initial_seed as initial_seed
from specgrad.runtime.tensor.generator import manual_seed as manual_seed
from specgrad.runtime.tensor.generator import seed as seed
from specgrad.runtime.tensor.generator import set_rng_state as set_rng_state
