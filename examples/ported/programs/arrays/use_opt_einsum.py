"""opt_einsum: contraction paths over tensors, with gradients."""

import opt_einsum
from fixed import numbers, show

a, b, c, d = numbers(4, 5), numbers(5, 6), numbers(6, 7), numbers(7, 4)
a.requires_grad_()
out = opt_einsum.contract("ij,jk,kl,li->", a, b, c, d)
out.backward()
show("value", out)
show("gradient", a.grad)
x, y, z = numbers(3, 4, 5), numbers(5, 6), numbers(4, 6, 2)
expression = opt_einsum.contract_expression("abc,cd,bde->ae", x.shape, y.shape, z.shape)
show("expression", expression(x, y, z))
show("greedy", opt_einsum.contract("abc,cd,bde->ea", x, y, z, optimize="greedy"))
