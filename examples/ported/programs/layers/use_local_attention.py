"""local-attention: attention within windows, causal and not."""

from fixed import numbers, show
from local_attention import LocalAttention

q, k, v = numbers(2, 2, 32, 8).requires_grad_(), numbers(2, 2, 32, 8).cos(), numbers(2, 2, 32, 8).sin()
for causal in (True, False):
    out = LocalAttention(
        dim=8, window_size=8, causal=causal, look_backward=1, look_forward=0 if causal else 1, autopad=True
    )(q, k, v)
    out.pow(2).sum().backward()
    show("out", out)
    show("gradient", q.grad)
