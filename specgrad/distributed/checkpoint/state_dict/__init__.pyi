"""PyTorch's `torch.distributed.checkpoint.state_dict`, by names: written from `torch_names.py`."""

from specgrad.nn.parallel.state_dict.model import get_model_state_dict as get_model_state_dict
from specgrad.nn.parallel.state_dict.model import get_state_dict as get_state_dict
from specgrad.nn.parallel.state_dict.model import set_model_state_dict as set_model_state_dict
from specgrad.nn.parallel.state_dict.model import set_state_dict as set_state_dict
from specgrad.nn.parallel.state_dict.optimizer import get_optimizer_state_dict as get_optimizer_state_dict
from specgrad.nn.parallel.state_dict.optimizer import set_optimizer_state_dict as set_optimizer_state_dict
from specgrad.nn.parallel.state_dict.options import StateDictOptions as StateDictOptions
