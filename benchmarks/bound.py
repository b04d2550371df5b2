r"""How far the evidence of a regression lies below the exact one, beside the usual bound.

    python benchmarks/bound.py

One intention, two actions, one slope and one bias, 10 experiments each: the exact evidence is an integral over two
numbers, done by quadrature. *Ours* is the tilted bound of :mod:`hiql.parts.averaged`, *quadratic* that of Jaakkola and
Jordan (2000) at its optimum. Nats below the exact evidence: mean, and worst.
"""

from __future__ import annotations

import numpy as np
from scipy.special import expit, log_expit, logsumexp

import hiql
from hiql.choices import LinearChoice
from hiql.models import IntentionModel

RIDGE, BIAS = 1.0, 0.1
EXPERIMENTS = 10


def exact(x: np.ndarray, actions: np.ndarray) -> float:
    """The difference of the two logits is √2 (slope · x + bias), both of them Normal."""
    signs = np.where(actions == 1, 1.0, -1.0) * np.sqrt(2)

    def log_joint(slope, bias):
        likely = sum(log_expit(sign * (slope * each + bias)) for sign, each in zip(signs, x, strict=True))
        return likely - 0.5 * (RIDGE * slope**2 + BIAS * bias**2)

    low, high = np.full(2, -12.0), np.full(2, 12.0)
    for _ in range(4):  # closer and closer around where the mass is
        axes = [np.linspace(*ends, 161) for ends in zip(low, high, strict=True)]
        found = log_joint(*np.meshgrid(*axes, indexing="ij"))
        rows, columns = np.nonzero(found > found.max() - 30)
        step = np.array([axis[1] - axis[0] for axis in axes])
        low = np.array([axes[0][rows.min()], axes[1][columns.min()]]) - step
        high = np.array([axes[0][rows.max()], axes[1][columns.max()]]) + step
    return float(logsumexp(found) + np.log(step.prod()) + 0.5 * np.log(RIDGE * BIAS) - np.log(2 * np.pi))


def quadratic(x: np.ndarray, actions: np.ndarray) -> float:
    """The bound of Jaakkola and Jordan, by their own iteration."""
    design = np.sqrt(2) * np.column_stack([x, np.ones_like(x)])
    prior, xi = np.diag([RIDGE, BIAS]), np.ones(len(x))
    for _ in range(500):
        curved = np.tanh(xi / 2) / (4 * xi)
        precision = prior + 2 * (design * curved[:, None]).T @ design
        covariance = np.linalg.inv(precision)
        mean = covariance @ (design.T @ (actions - 0.5))
        xi = np.sqrt(np.einsum("ni,ij,nj->n", design, covariance + np.outer(mean, mean), design))
    curved = np.tanh(xi / 2) / (4 * xi)
    determinants = np.linalg.slogdet(prior)[1] - np.linalg.slogdet(precision)[1]
    return float(0.5 * (determinants + mean @ precision @ mean) + (log_expit(xi) - xi / 2 + curved * xi**2).sum())


def ours(x: np.ndarray, actions: np.ndarray) -> float:
    data = hiql.Trajectories.from_arrays(None, [actions], inputs=[x[:, None]], input_names=["x"], n_actions=2)
    choice = LinearChoice(RIDGE, bias_ridge=BIAS)
    return IntentionModel(1, choice=choice, estimate="bayes", progress=False, tol=1e-10).fit(data).evidence_


def main() -> None:
    rng = np.random.default_rng(0)
    print("| slope | steps | ours | worst | quadratic | worst |\n| --- | --- | --- | --- | --- | --- |")
    for slope in (0.5, 2.0, 5.0):
        for n_steps in (5, 20, 100, 1000):
            below = []
            for _ in range(EXPERIMENTS):
                x = rng.normal(size=n_steps)
                x = (x - x.mean()) / x.std()
                actions = (rng.random(n_steps) < expit(slope * (x + 0.5))).astype(int)
                truth = exact(x, actions)
                below.append([truth - ours(x, actions), truth - quadratic(x, actions)])
            (one, other), (least, most) = np.mean(below, axis=0), np.max(below, axis=0)
            print(f"| {slope} | {n_steps} | {one:.4f} | {least:.4f} | {other:.3f} | {most:.3f} |")


if __name__ == "__main__":
    main()
