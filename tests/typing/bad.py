"""Mistakes of users, one on each line with a comment: type checkers find them all, and nothing else."""

import numpy as np

import specgrad as torch
import specgrad.nn.functional as F
from specgrad import Tensor, nn
from specgrad.distributions import Normal
from specgrad.optim import SGD, AdamW
from specgrad.optim import Adamw as AdamW2  # wrong: the class is AdamW
from specgrad.optim.lr_scheduler import StepLR
from specgrad.utils.data import DataLoader, TensorDataset

x, y = torch.randn(2, 3), torch.rand(2, 3)
model = nn.Sequential(nn.Linear(3, 4), nn.ReLU())

torch.zeros(2, 3, dytpe=torch.float32)  # wrong: a keyword
torch.ones(2, 3, dtype=torch.float23)  # wrong: a dtype that is not there
torch.full((2, 3), "1.0")  # wrong: a string for a number
torch.tensor([1.0], requires_grad="yes")  # wrong: a string for a bool
torch.arange(0, 10, dtype=3)  # wrong: a number for a dtype
torch.zeros_like([1.0, 2.0])  # wrong: a list for a tensor
torch.manual_seed("0")  # wrong: a string for an int

torch.matmull(x, y)  # wrong: no such function
torch.cat(x, y)  # wrong: the second argument is a dimension
torch.stack(3)  # wrong: a number for tensors
x.sum(dims=0)  # wrong: the keyword is dim
x.topk()  # wrong: no k
x.mean(dim="0")  # wrong: a string for a dimension
x.reshape("2", 3)  # wrong: a string for a size
x.float().shap  # wrong: an attribute of what a method gives
x.T.transpos(0, 1)  # wrong: a method of what a property gives
x[0].backwards()  # wrong: a method of what an index gives
x["a"]  # wrong: a string for an index
x + "1"  # wrong: a string for an operand
x.to(dtype="cpu", devise="cpu")  # wrong: a keyword

values, indices, counts = torch.topk(x, 2)  # wrong: two results
torch.topk(x, 2).value  # wrong: the results are values and indices
q, r, s = torch.linalg.qr(x)  # wrong: two results
total: int = x.sum()  # wrong: a tensor is no int
kind: torch.dtype = x.device  # wrong: a device is no dtype
x.grad.zero_()  # wrong: there may be no gradient
x.shape.rows  # wrong: a shape is a tuple

nn.Linear(3)  # wrong: no number of outputs
nn.Conv2d(1, 8, kernel=3)  # wrong: the keyword is kernel_size
nn.Linear("3", 4)  # wrong: a string for an int
model.parametres()  # wrong: a method of modules
F.cross_entropy(x, y, reduction=1)  # wrong: a number for a string
F.relu(x, in_place=True)  # wrong: the keyword is inplace

optimizer = AdamW(model.parameters(), learning_rate=1e-3)  # wrong: the keyword is lr
SGD(nn.Linear(3, 4), lr=0.1)  # wrong: a module for its parameters
StepLR(SGD(model.parameters(), lr=0.1), step=3)  # wrong: the keyword is step_size
DataLoader(TensorDataset(x), batchsize=4)  # wrong: the keyword is batch_size
DataLoader(5)  # wrong: a number for a dataset
Normal(0.0, 1.0).logprob(x)  # wrong: a method of distributions
torch.save(model)  # wrong: no file
with torch.no_grad:  # wrong: the class itself
    pass


def to_array(tensor: Tensor) -> Tensor:
    return tensor.numpy()  # wrong: an array is no tensor


def loss_of(network: nn.Module, inputs: np.ndarray) -> Tensor:
    return F.mse_loss(network(inputs), "inputs")  # wrong: a string for a tensor
