"""PyTorch's `torch.optim`, by names: written from `torch_names.py`."""

from specgrad.nn.optim import *

from . import _adafactor as _adafactor
from . import _functional as _functional
from . import _multi_tensor as _multi_tensor
from . import _muon as _muon
from . import adadelta as adadelta
from . import adagrad as adagrad
from . import adam as adam
from . import adamax as adamax
from . import adamw as adamw
from . import asgd as asgd
from . import lbfgs as lbfgs
from . import nadam as nadam
from . import optimizer as optimizer
from . import radam as radam
from . import rmsprop as rmsprop
from . import rprop as rprop
from . import sgd as sgd
from . import sparse_adam as sparse_adam
