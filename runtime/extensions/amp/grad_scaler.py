"""`GradScaler`: losses are scaled so that gradients in float16 do not vanish, and steps with infinite ones left out."""

import inspect
import math
from collections import defaultdict
from collections.abc import Iterable
from enum import Enum
from typing import Any, SupportsFloat

from ...device.cuda.driver import device_count
from ...errors import warn_user
from ...ops.creation.constants import full
from ...tensor import dtypes
from ...tensor.grad_mode import no_grad
from ...tensor.tensor import TensorBase
from .state import is_autocast_available


class OptState(Enum):
    """What has happened to an optimizer's gradients since the last `update`."""

    READY = 0
    UNSCALED = 1
    STEPPED = 2


def _untouched() -> dict[str, Any]:
    return {"stage": OptState.READY, "found_inf_per_device": {}}


class GradScaler:
    """Multiplies losses by a factor, and divides gradients by it before the optimizer's step.

    A step whose gradients are not all finite is left out, and the factor becomes smaller; after `growth_interval` steps
    without such gradients it becomes larger.

    Source: Micikevicius et al., "Mixed Precision Training" (2018).

    Args:
        device: 'cuda' or 'cpu'.
        init_scale: the first factor.
        growth_factor: what the factor is multiplied by when it becomes larger.
        backoff_factor: what it is multiplied by after a step that was left out.
        growth_interval: how many steps in a row with finite gradients make it larger.
        enabled: False leaves losses and gradients alone, and `step` is the optimizer's.

    Raises:
        AssertionError: a growth factor up to 1, or a backoff factor from 1.
        RuntimeError: there is no autocast for `device`.

    Example:
        >>> import specgrad as sg
        >>> model = sg.nn.Linear(2, 1)
        >>> optimizer = sg.optim.SGD(model.parameters(), lr=0.1)
        >>> scaler = GradScaler("cpu", init_scale=1024.0)
        >>> with sg.autocast("cpu", dtype=sg.float16):
        ...     loss = model(sg.ones(4, 2)).float().square().mean()
        >>> scaler.scale(loss).backward()
        >>> scaler.step(optimizer)
        >>> scaler.update()
        >>> scaler.get_scale()
        1024.0
    """

    def __init__(
        self,
        device: str = "cuda",
        init_scale: float = 2.0**16,
        growth_factor: float = 2.0,
        backoff_factor: float = 0.5,
        growth_interval: int = 2000,
        enabled: bool = True,
    ) -> None:
        if not is_autocast_available(device):
            raise RuntimeError(f"GradScaler(): expected device to be cpu or cuda, but got '{device}'")
        if enabled and device == "cuda" and not device_count():
            warn_user("specgrad.amp.GradScaler is enabled, but CUDA is not available. Disabling.")
            enabled = False
        if enabled and not growth_factor > 1.0:
            raise AssertionError("The growth factor must be > 1.0.")
        if enabled and not backoff_factor < 1.0:
            raise AssertionError("The backoff factor must be < 1.0.")
        self._device = device
        self._enabled = enabled
        self._init_scale = init_scale
        self._scale: Any = None  # a tensor from the first loss on, and so is _growth_tracker
        self._growth_factor = growth_factor
        self._backoff_factor = backoff_factor
        self._growth_interval = growth_interval
        self._init_growth_tracker = 0
        self._growth_tracker: Any = None
        self._per_optimizer_states: dict[int, dict[str, Any]] = defaultdict(_untouched)

    def _lazy_init_scale_growth_tracker(self, device: Any) -> None:
        self._scale = full((), self._init_scale, dtype=dtypes.float32, device=device)
        self._growth_tracker = full((), self._init_growth_tracker, dtype=dtypes.int32, device=device)

    def _check_scale_growth_tracker(self, name: str) -> tuple[Any, Any]:
        if self._scale is None:
            raise AssertionError(
                f"Attempted {name} but _scale is None. This may indicate your script did not use scaler.scale(loss or "
                "outputs) earlier in the iteration."
            )
        return self._scale, self._growth_tracker

    def scale(self, outputs: Any) -> Any:
        """The factor times `outputs`: a loss, or losses in a list, tuple or other iterable; else a ValueError."""
        if not self._enabled:
            return outputs
        if isinstance(outputs, TensorBase):
            if self._scale is None:
                self._lazy_init_scale_growth_tracker(outputs.device)
            return outputs * self._scale.to(outputs.device)
        if isinstance(outputs, (list, tuple)):
            return type(outputs)([self.scale(each) for each in outputs])
        if isinstance(outputs, Iterable) and not isinstance(outputs, str):
            return map(self.scale, outputs)
        raise ValueError("outputs must be a Tensor or an iterable of Tensors")

    def _unscale_grads_(self, optimizer: Any, inv_scale: Any, found_inf: Any, allow_fp16: bool) -> dict[Any, Any]:
        """Multiply all gradients; by device whether one of them was not finite, 0 or 1 as float32."""
        results: dict[Any, Any] = {}
        with no_grad():
            for parameter in (p for group in optimizer.param_groups for p in group["params"]):
                if not isinstance(parameter, TensorBase):
                    raise AssertionError(f"expected param to be specgrad.Tensor, got {type(parameter).__name__}")
                if (grad := _values(parameter, allow_fp16)) is None:
                    continue
                device = grad.device
                if device not in results:
                    results[device] = found_inf.to(device, copy=True)
                results[device].copy_(results[device].maximum((~grad.isfinite()).any()))
                grad.mul_(inv_scale.to(device))
        return results

    def unscale_(self, optimizer: Any) -> None:
        """Divide the gradients of `optimizer` by the factor, for what looks at them before `step`, such as clipping.

        Raises:
            RuntimeError: that has been done since the last `update`, or `step` has.
            ValueError: gradients of float16.
        """
        if not self._enabled:
            return
        self._check_scale_growth_tracker("unscale_")
        state = self._per_optimizer_states[id(optimizer)]
        if state["stage"] is OptState.UNSCALED:
            raise RuntimeError("unscale_() has already been called on this optimizer since the last update().")
        if state["stage"] is OptState.STEPPED:
            raise RuntimeError("unscale_() is being called after step().")
        inverse = self._scale.double().reciprocal().float()
        state["found_inf_per_device"] = self._unscale_grads_(optimizer, inverse, self._zero(), False)
        state["stage"] = OptState.UNSCALED

    def _zero(self) -> Any:
        return full((), 0.0, dtype=dtypes.float32, device=self._scale.device)

    def _maybe_opt_step(self, optimizer: Any, optimizer_state: dict[str, Any], *args: Any, **kwargs: Any) -> Any:
        if not sum(result.item() for result in optimizer_state["found_inf_per_device"].values()):
            return optimizer.step(*args, **kwargs)
        return None

    def step(self, optimizer: Any, *args: Any, **kwargs: Any) -> Any:
        """The step of `optimizer` with gradients divided by the factor, or none (None) where they are not all finite.

        `*args` and `**kwargs` are what its `step` takes besides a closure, and what that returns is returned.

        Raises:
            RuntimeError: a second call since the last `update`, or a closure.
        """
        if not self._enabled:
            return optimizer.step(*args, **kwargs)
        if "closure" in kwargs:
            raise RuntimeError("Closure use is not currently supported if GradScaler is enabled.")
        self._check_scale_growth_tracker("step")
        state = self._per_optimizer_states[id(optimizer)]
        if state["stage"] is OptState.STEPPED:
            raise RuntimeError("step() has already been called since the last update().")
        if getattr(optimizer, "_step_supports_amp_scaling", False):
            result = self._step_that_scales(optimizer, state, args, kwargs)
        else:
            if state["stage"] is OptState.READY:
                self.unscale_(optimizer)
            if not state["found_inf_per_device"]:
                raise AssertionError("No inf checks were recorded for this optimizer.")
            result = self._maybe_opt_step(optimizer, state, *args, **kwargs)
        state["stage"] = OptState.STEPPED
        return result

    def _step_that_scales(self, optimizer: Any, state: dict[str, Any], args: Any, kwargs: dict[str, Any]) -> Any:
        """The step of an optimizer that divides by `grad_scale` and looks at `found_inf` itself."""
        if "grad_scaler" in inspect.signature(optimizer.step).parameters:
            return optimizer.step(*args, **kwargs, grad_scaler=self)
        if state["stage"] is OptState.READY:
            self._check_inf_per_device(optimizer)
            optimizer.grad_scale = self._scale * getattr(optimizer, "grad_scale", 1)
        else:
            optimizer.grad_scale = getattr(optimizer, "grad_scale", None)
        optimizer.found_inf = self._merged(state["found_inf_per_device"].values())
        try:
            return optimizer.step(*args, **kwargs)
        finally:
            del optimizer.grad_scale, optimizer.found_inf

    def _merged(self, result: Iterable[Any]) -> Any:
        return sum([each.to(self._scale.device) for each in result], self._zero())

    def update(self, new_scale: SupportsFloat | None = None) -> None:
        """Adapt the factor to what the steps since the last call have found; to be called once an iteration.

        `new_scale`, a number or a tensor of one element, is the factor to go on with in the place of that.

        Raises:
            AssertionError: no step has been made, or `new_scale` is no such tensor.
        """
        if not self._enabled:
            return
        scale, steps = self._check_scale_growth_tracker("update")
        if isinstance(new_scale, TensorBase):
            other: Any = new_scale
            if other.device.type != self._device or other.numel() != 1 or other._requires_grad:
                raise AssertionError(
                    f"new_scale should be a float or a 1-element tensor on {self._device} with requires_grad=False."
                )
        if new_scale is not None:
            scale.fill_(float(new_scale))
        else:
            states = self._per_optimizer_states.values()
            matches = [each for state in states for each in state["found_inf_per_device"].values()]
            if not matches:
                raise AssertionError("No inf checks were recorded prior to update.")
            self._adapt(scale, steps, bool(self._merged(matches).item()))
        self._per_optimizer_states = defaultdict(_untouched)

    def _adapt(self, scale: Any, steps: Any, result: bool) -> None:
        if result:
            scale.mul_(self._backoff_factor)
            steps.fill_(0)
        elif steps.item() + 1 < self._growth_interval:
            steps.add_(1)
        else:
            if math.isfinite((scale * self._growth_factor).item()):
                scale.mul_(self._growth_factor)
            steps.fill_(0)

    def _get_scale_async(self) -> Any:
        return self._scale

    def get_scale(self) -> float:
        """The factor; 1 where the scaler is disabled."""
        if not self._enabled:
            return 1.0
        return float(self._init_scale if self._scale is None else self._scale.item())

    def get_growth_factor(self) -> float:
        """What the factor is multiplied by when it becomes larger."""
        return self._growth_factor

    def set_growth_factor(self, new_factor: float) -> None:
        """Set what the factor is multiplied by when it becomes larger: `new_factor`, above 1."""
        self._growth_factor = new_factor

    def get_backoff_factor(self) -> float:
        """What the factor is multiplied by after a step that was left out."""
        return self._backoff_factor

    def set_backoff_factor(self, new_factor: float) -> None:
        """Set what the factor is multiplied by after a step that was left out: `new_factor`, below 1."""
        self._backoff_factor = new_factor

    def get_growth_interval(self) -> int:
        """How many steps in a row with finite gradients make the factor larger."""
        return self._growth_interval

    def set_growth_interval(self, new_interval: int) -> None:
        """Set how many steps in a row with finite gradients make the factor larger: `new_interval`."""
        self._growth_interval = new_interval

    def _get_growth_tracker(self) -> int:
        if not self._enabled:
            return 0
        return int(self._init_growth_tracker if self._growth_tracker is None else self._growth_tracker.item())

    def is_enabled(self) -> bool:
        """Whether losses are scaled at all."""
        return self._enabled

    def state_dict(self) -> dict[str, Any]:
        """The factor, how many steps it has been good for, and the settings; empty where the scaler is disabled."""
        if not self._enabled:
            return {}
        return {
            "scale": self.get_scale(),
            "growth_factor": self._growth_factor,
            "backoff_factor": self._backoff_factor,
            "growth_interval": self._growth_interval,
            "_growth_tracker": self._get_growth_tracker(),
        }

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Go on where another scaler was, whose `state_dict` is given; a RuntimeError where that is empty."""
        if not self._enabled:
            return
        if not state_dict:
            raise RuntimeError(
                "The source state dict is empty, possibly because it was saved from a disabled instance of GradScaler."
            )
        self._init_scale = state_dict["scale"]
        self._growth_factor = state_dict["growth_factor"]
        self._backoff_factor = state_dict["backoff_factor"]
        self._growth_interval = state_dict["growth_interval"]
        self._init_growth_tracker = state_dict["_growth_tracker"]
        if self._scale is not None:
            self._scale.fill_(self._init_scale)
            self._growth_tracker.fill_(self._init_growth_tracker)

    def __getstate__(self) -> dict[str, Any]:
        state = self.__dict__.copy()
        if self._enabled:
            if self._per_optimizer_states:
                raise AssertionError(
                    "A GradScaler instance may only be pickled at the beginning of an iteration, or at the end after "
                    "scaler.update()."
                )
            state |= {"_init_scale": self.get_scale(), "_init_growth_tracker": self._get_growth_tracker()}
            state |= {"_scale": None, "_growth_tracker": None}
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)

    def _check_inf_per_device(self, optimizer: Any) -> dict[Any, Any]:
        """Look for gradients that are not finite, and leave them as they are."""
        self._check_scale_growth_tracker("_check_inf_per_device")
        state, zero = self._per_optimizer_states[id(optimizer)], self._zero()
        state["found_inf_per_device"] = self._unscale_grads_(optimizer, zero + 1, zero, True)
        return self._found_inf_per_device(optimizer)

    def _found_inf_per_device(self, optimizer: Any) -> dict[Any, Any]:
        entry: dict[Any, Any] = self._per_optimizer_states[id(optimizer)]["found_inf_per_device"]
        return entry


def _values(parameter: Any, allow_fp16: bool) -> Any:
    grad = parameter.grad
    if grad is None:
        return None
    if grad.dtype is dtypes.float16 and not allow_fp16:
        raise ValueError("Attempting to unscale FP16 gradients.")
    return grad._values() if getattr(grad, "is_sparse", False) else grad
