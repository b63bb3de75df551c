"""The direction of L-BFGS, from the last changes of parameters and gradient."""

from __future__ import annotations

from typing import Any

from ...generated.tensor import Tensor

_LEAST_CURVATURE = 1e-10  # below it a pair would make the guess of the Hessian indefinite


def direction(state: dict[str, Any], grad: Tensor, history_size: int) -> Tensor:
    """-H grad, with the change that the last step made among what H is guessed from; at first -grad.

    Args:
        state: has the last direction, step and gradient, and the pairs that are known.
        grad: the gradient now.
        history_size: how many pairs are kept.
    """
    if state["n_iter"] == 1:
        state["old_dirs"], state["old_stps"], state["ro"], state["H_diag"] = [], [], [], 1
        return -grad
    shares = state.setdefault("al", [])  # kept, and as long as the history may become, as in PyTorch
    shares.extend([None] * (history_size - len(shares)))
    _remember(state, grad - state["prev_flat_grad"], state["d"] * state["t"], history_size)
    return _product(state, -grad)


def _remember(state: dict[str, Any], of_grad: Tensor, of_params: Tensor, history_size: int) -> None:
    curvature = of_grad.dot(of_params)
    if not curvature > _LEAST_CURVATURE:
        return
    pairs = ("old_dirs", of_grad), ("old_stps", of_params), ("ro", 1.0 / curvature)
    for name, value in pairs:
        state[name] = [*state[name], value][-history_size:]
    state["H_diag"] = curvature / of_grad.dot(of_grad)


def _product(state: dict[str, Any], vector: Tensor) -> Tensor:
    """H times a vector: with the latest pair first on the way in, and last on the way out."""
    pairs = list(zip(state["old_dirs"], state["old_stps"], state["ro"], strict=True))
    shares = state["al"]
    for number, (of_grad, of_params, inverse) in reversed([*enumerate(pairs)]):
        shares[number] = of_params.dot(vector) * inverse
        vector = vector.add(of_grad, alpha=-shares[number].item())
    vector = vector * state["H_diag"]
    for share, (of_grad, of_params, inverse) in zip(shares, pairs, strict=False):
        vector = vector.add(of_params, alpha=(share - of_grad.dot(vector) * inverse).item())
    return vector
