"""References of the section recurrent of derivatives.yaml: what its ops give, in terms of NumPy and SciPy."""

import numpy as np
import scipy


def rnn_layer(self, hidden, weight_ih, weight_hh, bias_ih, bias_hh, batch_sizes, reverse, nonlinearity):
    step = lambda x, h: np.concatenate(
        [
            (lambda y: np.tanh(y) if nonlinearity == "tanh" else np.maximum(y, 0))(
                x @ weight_ih.T + (0 if bias_ih is None else bias_ih + bias_hh) + h[: len(x)] @ weight_hh.T
            ),
            h[len(x) :],
        ]
    )
    steps = (list(self) if not batch_sizes else np.split(self, np.cumsum(batch_sizes)[:-1]))[:: -1 if reverse else 1]
    run = lambda run, old, left: [] if not left else (lambda new: [new, *run(run, new, left[1:])])(step(left[0], old))
    states = run(run, hidden, steps)
    return (
        np.concatenate([s[: len(x)] for x, s in zip(steps, states)][:: -1 if reverse else 1]).reshape(
            *self.shape[:-1], -1
        ),
        states[-1],
    )


def lstm_layer(self, hidden, cell, weight_ih, weight_hh, bias_ih, bias_hh, weight_hr, batch_sizes, reverse):
    step = lambda x, h, c: (
        lambda i, f, g, o: (
            lambda new: (
                np.concatenate(
                    [
                        scipy.special.expit(o)
                        * np.tanh(new)
                        @ (np.eye(len(new.T)) if weight_hr is None else weight_hr.T),
                        h[len(x) :],
                    ]
                ),
                np.concatenate([new, c[len(x) :]]),
            )
        )(scipy.special.expit(f) * c[: len(x)] + scipy.special.expit(i) * np.tanh(g))
    )(*np.split(x @ weight_ih.T + (0 if bias_ih is None else bias_ih + bias_hh) + h[: len(x)] @ weight_hh.T, 4, 1))
    steps = (list(self) if not batch_sizes else np.split(self, np.cumsum(batch_sizes)[:-1]))[:: -1 if reverse else 1]
    run = lambda run, old, left: [] if not left else (lambda new: [new, *run(run, new, left[1:])])(step(left[0], *old))
    states = run(run, (hidden, cell), steps)
    return (
        np.concatenate([s[0][: len(x)] for x, s in zip(steps, states)][:: -1 if reverse else 1]).reshape(
            *self.shape[:-1], -1
        ),
        *states[-1],
        None,
        None,
    )


def gru_layer(self, hidden, weight_ih, weight_hh, bias_ih, bias_hh, batch_sizes, reverse):
    step = lambda x, h: (
        lambda a, b: (lambda z, n: np.concatenate([(1 - z) * n + z * h[: len(x)], h[len(x) :]]))(
            scipy.special.expit(a[1] + b[1]), np.tanh(a[2] + scipy.special.expit(a[0] + b[0]) * b[2])
        )
    )(
        np.split(x @ weight_ih.T + (0 if bias_ih is None else bias_ih), 3, 1),
        np.split(h[: len(x)] @ weight_hh.T + (0 if bias_hh is None else bias_hh), 3, 1),
    )
    steps = (list(self) if not batch_sizes else np.split(self, np.cumsum(batch_sizes)[:-1]))[:: -1 if reverse else 1]
    run = lambda run, old, left: [] if not left else (lambda new: [new, *run(run, new, left[1:])])(step(left[0], old))
    states = run(run, hidden, steps)
    return (
        np.concatenate([s[: len(x)] for x, s in zip(steps, states)][:: -1 if reverse else 1]).reshape(
            *self.shape[:-1], -1
        ),
        states[-1],
        None,
    )


def gru_cell(self, hx, w_ih, w_hh, b_ih, b_hh):
    a = np.split(self @ w_ih.T + (0 if b_ih is None else b_ih), 3, 1)
    b = np.split(hx @ w_hh.T + (0 if b_hh is None else b_hh), 3, 1)
    n = np.tanh(a[2] + scipy.special.expit(a[0] + b[0]) * b[2])
    return n + scipy.special.expit(a[1] + b[1]) * (hx - n)


def lstm_cell(self, hx, w_ih, w_hh, b_ih, b_hh):
    gates = np.split(self @ w_ih.T + hx[0] @ w_hh.T + (0 if b_ih is None else b_ih + b_hh), 4, 1)
    new = scipy.special.expit(gates[1]) * hx[1] + scipy.special.expit(gates[0]) * np.tanh(gates[2])
    return (scipy.special.expit(gates[3]) * np.tanh(new), new)
