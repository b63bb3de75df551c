"""The base class of optimizers under PyTorch's name; the code is in specgrad.nn.optim."""

from ..nn.optim.optimizer import Optimizer, required
from ..nn.optim.steps import register_optimizer_step_post_hook, register_optimizer_step_pre_hook

__all__ = ["Optimizer", "register_optimizer_step_post_hook", "register_optimizer_step_pre_hook", "required"]
