"""PyTorch's `torch.fx.proxy`, by names: written from `torch_names.py`."""

from specgrad.nn.fx.proxy import Attribute as Attribute
from specgrad.nn.fx.proxy import GraphAppendingTracer as GraphAppendingTracer
from specgrad.nn.fx.proxy import ParameterProxy as ParameterProxy
from specgrad.nn.fx.proxy import Proxy as Proxy
from specgrad.nn.fx.proxy import TraceError as TraceError
from specgrad.nn.fx.proxy import TracerBase as TracerBase
