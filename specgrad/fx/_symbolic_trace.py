"""Tracing under PyTorch's name."""

from ..nn.fx.tracer import PH, Tracer, is_fx_tracing, symbolic_trace
from ..nn.fx.wrapping import wrap

__all__ = ["PH", "Tracer", "is_fx_tracing", "symbolic_trace", "wrap"]
