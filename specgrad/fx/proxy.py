"""Proxies under PyTorch's name."""

from ..nn.fx.proxy import Attribute, GraphAppendingTracer, ParameterProxy, Proxy, TraceError, TracerBase

__all__ = ["Attribute", "GraphAppendingTracer", "ParameterProxy", "Proxy", "TraceError", "TracerBase"]
