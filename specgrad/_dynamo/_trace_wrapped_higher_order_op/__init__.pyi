"""PyTorch's `torch._dynamo._trace_wrapped_higher_order_op`, by names: written from `torch_names.py`."""

from contextlib import nullcontext

TransformGetItemToIndex = nullcontext
