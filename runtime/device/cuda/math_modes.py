"""How exactly NVIDIA's libraries compute, and which of them are asked: switches of the whole process."""

from collections.abc import Callable
from typing import Any

PRECISIONS = ("highest", "high", "medium")


class MathModes:
    """The switches, as PyTorch has them; each change is told. TF32 keeps 10 of 23 bits, and adds in float32."""

    notify: Callable[[], None] = staticmethod(lambda: None)

    def __init__(self) -> None:
        self.precision = "highest"  # of products of float32 matrices: below it they may be computed in TF32
        self.half_sums = True  # whether sums of products of float16 may be kept in float16 on their way
        self.bfloat16_sums = True
        self.convolution_tf32 = True
        self.cudnn, self.benchmark = True, False
        self.deterministic_convolutions = False
        self.deterministic, self.warn_only = False, False  # of all algorithms

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(name, value)
        MathModes.notify()

    def all(self) -> tuple[Any, ...]:
        return tuple(vars(self).values())

    @property
    def matmul_tf32(self) -> bool:
        return self.precision != "highest"


math_modes = MathModes()
