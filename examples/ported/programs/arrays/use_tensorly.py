"""tensorly: decompositions of tensors by its backend for torch."""

import tensorly as tl
from fixed import numbers, show
from tensorly.decomposition import non_negative_parafac, parafac, tensor_train, tucker

tl.set_backend("pytorch")
x = numbers(4, 5, 6)
show("canonical", tl.cp_to_tensor(parafac(x, rank=2, init="svd", n_iter_max=20)))
show("tucker", tl.tucker_to_tensor(tucker(x, rank=[2, 2, 2], init="svd")))
show("train", tl.tt_to_tensor(tensor_train(x, [1, 2, 2, 1])))
show("not negative", tl.cp_to_tensor(non_negative_parafac(x.abs(), rank=2, init="svd", n_iter_max=10)))
w = x.clone().requires_grad_()
tl.norm(tl.tenalg.mode_dot(w, numbers(3, 4), 0)).backward()
show("gradient", w.grad)
