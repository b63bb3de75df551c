"""PyTorch's `torch.fx._symbolic_trace`, by names: written from `torch_names.py`."""

from specgrad.nn.fx.patches import wrap as wrap
from specgrad.nn.fx.tracer import PH as PH
from specgrad.nn.fx.tracer import Tracer as Tracer
from specgrad.nn.fx.tracer import is_fx_tracing as is_fx_tracing
from specgrad.nn.fx.tracer import symbolic_trace as symbolic_trace
