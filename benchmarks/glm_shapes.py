"""The default GLM-HMM beside the best of some plain starts, on mice, inputs and sessions of other shapes: held out.

    python benchmarks/glm_shapes.py [--only sticky] [--trials 8000] [--starts 4] [--folds 1]

Four mice that judge stimuli (``judging_mice.py``), one thing changed at a time. The plain EM of
``tests/oracles/glm_hmm.py`` reads inputs standardised, with a small ridge; ours reads them as they are. Nothing was
tuned on these scores.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial

import numpy as np

import hiql
from glm_hmm import SMALL_RIDGE, as_read, plain, reference
from judging_mice import simulated
from rows import arguments

Columns = tuple[np.ndarray, list[str]]


def scales(inputs: np.ndarray, names: list[str], rng: np.random.Generator) -> Columns:
    """Units and origins of all sizes."""
    return inputs * 10.0 ** rng.integers(-4, 7, len(names)) + 10.0 ** rng.integers(0, 4, len(names)), names


def copies(inputs: np.ndarray, names: list[str], rng: np.random.Generator) -> Columns:  # noqa: ARG001
    """A difference, a copy and a sum of others beside them."""
    left, right, choice = inputs[:, :3].T
    return np.column_stack([inputs, right - left, choice, left + right]), [*names, "contrast", "copy", "any"]


def constant(inputs: np.ndarray, names: list[str], rng: np.random.Generator) -> Columns:  # noqa: ARG001
    """A column for the bias, as one gives it to other programs."""
    return np.column_stack([inputs, np.ones(len(inputs))]), [*names, "bias"]


def rare(inputs: np.ndarray, names: list[str], rng: np.random.Generator) -> Columns:
    """Three trials in a thousand have a mark."""
    return np.column_stack([inputs, rng.random(len(inputs)) < 0.003]), [*names, "rare"]


def many(inputs: np.ndarray, names: list[str], rng: np.random.Generator) -> Columns:
    """Thirty that mean nothing."""
    noise = rng.normal(size=(len(inputs), 30))
    return np.column_stack([inputs, noise]), [*names, *(f"noise {i}" for i in range(30))]


def as_they_are(inputs: np.ndarray, names: list[str], rng: np.random.Generator) -> Columns:  # noqa: ARG001
    return inputs, names


MICE: dict[str, Callable] = {
    "as they are": simulated,
    "weak weights": partial(simulated, strength=0.35),
    "strong weights": partial(simulated, strength=2.5),
    "sticky": partial(simulated, stay=0.995),
    "quick": partial(simulated, stay=0.8),
    "short sessions": partial(simulated, sessions_each=50),
    "long sessions": partial(simulated, sessions_each=2),
}
INPUTS = {"scales": scales, "copies": copies, "constant": constant, "rare": rare, "many": many}


def shaped(name: str, seed: int, n_trials: int) -> hiql.Trajectories:
    data = MICE.get(name, simulated)(seed, n_trials=n_trials, n_mice=4).data
    change = INPUTS.get(name, as_they_are)
    inputs, names = change(np.array(data.inputs), list(data.input_names), np.random.default_rng([seed, 99]))
    cuts = data.offsets[1:-1]
    return hiql.Trajectories.from_arrays(
        None, np.split(data.actions, cuts), inputs=np.split(inputs, cuts), n_actions=2,
        input_names=names, subjects=data.subjects,
    )  # fmt: skip


def compared(data: hiql.Trajectories, fold: hiql.data.folds.Fold, k: int, n_starts: int) -> tuple[float, float]:
    """Nats a trial of these sessions: of the default fit to the others, and of the best of the plain ones."""
    train, test = data.select(fold.train), data.select(fold.test)
    ours = hiql.GLMHMM(k, progress=False).fit(train).score(test, per="step")
    best, _ = max(reference(train, k, SMALL_RIDGE, n_starts), key=lambda each: each[1])
    p = plain.likely(as_read(test, train), best.weights)
    return ours, float(np.log(plain.forward(p, best.initial, best.transition)[1]).sum()) / test.n_steps


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--only", default="", help="shapes whose name has this text")
    parser.add_argument("--trials", type=int, default=8_000)
    parser.add_argument("--starts", type=int, default=4, help="of the plain EM")
    parser.add_argument("--folds", type=int, default=1, help="parts held out, of five")
    parser.add_argument("--intentions", type=int, nargs="+", default=[2, 3])
    parser.add_argument("--seed", type=int, default=7)
    run(parser.parse_args())


def run(options: argparse.Namespace) -> None:
    print("shape", "K", "fold", "default fit", "plain EM", "difference", sep="\t")
    for name in [name for name in (*MICE, *INPUTS) if options.only in name]:
        data = shaped(name, options.seed, options.trials)
        folds = hiql.session_folds(data, 5, strata=data.subjects, random_state=0)[: options.folds]
        for k in options.intentions:
            for number, fold in enumerate(folds):
                ours, theirs = compared(data, fold, k, options.starts)
                scores = f"{ours:.4f}", f"{theirs:.4f}", f"{ours - theirs:+.4f}"
                print(name, k, number, *scores, sep="\t", flush=True)


if __name__ == "__main__":
    main()
