"""PyTorch's `torch.distributions.transforms`, by names: written from `torch_names.py`."""

from specgrad.nn.distributions.transforms import *
from specgrad.nn.distributions.transforms.base import Transform as Transform
from specgrad.nn.distributions.transforms.cat_stack import *
from specgrad.nn.distributions.transforms.composed import *
from specgrad.nn.distributions.transforms.elementwise import *
from specgrad.nn.distributions.transforms.vectors import *
