"""GLM-HMMs on the shape of a real experiment (``judging_mice.py``), beside a plain EM by Newton's method and the truth.

    python benchmarks/glm_hmm.py held-out --most 4   # nats a trial: the default fit, the reference, the truth
    python benchmarks/glm_hmm.py optima              # how often the default fit, and one start, reach the best optimum
    python benchmarks/glm_hmm.py recovery            # weights and intentions found, at sizes of real experiments

The reference (``tests/oracles/glm_hmm.py``) is plain numpy: ``--starts`` random starts around the regression of all
trials, each climbed to the end, the best kept; its ridge is small and given. The truth knows every mouse's own weights,
which no model of alike mice can reach. One part in five of the sessions is held out (``--folds`` says how many of the
five); nothing was tuned on these scores.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from scipy.optimize import linear_sum_assignment

import hiql
from hiql.evaluate import decoding_agreement
from judging_mice import Cohort, simulated
from rows import arguments

sys.path.insert(0, str(Path(__file__).parent.parent))
from tests.oracles import glm_hmm as plain

SMALL_RIDGE = 0.1
GIVEN = 1.0
"""The ridge of optima: both have the same, so that objectives can be compared."""
SIZES = {"1 mouse, 2,500 trials": (0.05, 1), "4 mice, 15,000": (0.3, 4), "13 mice, 49,177": (1.0, 13)}


def as_read(data: hiql.Trajectories, like: hiql.Trajectories) -> plain.Padded:
    """Inputs standardised as ``like`` says, and a 1."""
    mean, scale = like.inputs.mean(axis=0), like.inputs.std(axis=0)
    scale = np.where(scale > 1e-12 * np.abs(mean), scale, 1.0)
    return plain.padded(data, np.column_stack([(data.inputs - mean) / scale, np.ones(data.n_steps)]))


def ridge_of(data: hiql.Trajectories, ridge: float) -> np.ndarray:
    return np.r_[np.full(data.inputs.shape[1], ridge), 0.01]


def reference(data: hiql.Trajectories, k: int, ridge: float, n_starts: int) -> Iterator[tuple[plain.Fitted, float]]:
    steps, held = as_read(data, data), ridge_of(data, ridge)
    for seed in range(n_starts if k > 1 else 1):
        start = plain.random_start(steps, k, held, np.random.default_rng([seed, k]))
        yield plain.climbed(steps, start, held)


def as_the_truth(cohort: Cohort, sessions: np.ndarray) -> tuple[np.ndarray, ...]:
    """Of these sessions, for one who knows every mouse's weights: likelihoods (n, T, K), filtered, and their scales."""
    data, k = cohort.data.select(sessions), len(cohort.transition)
    right, done = cohort.right[np.isin(cohort.data.session_of_step, sessions)], data.actions[:, None]
    steps = plain.padded(data, np.where(done == 1, right, 1.0 - right))
    p = np.where(steps.actions[..., None] < 0, 1.0, steps.inputs)
    return p, *plain.forward(p, np.full(k, 1.0 / k), cohort.transition)


def held_out(options: argparse.Namespace) -> None:
    print("cohort", "fold", "K", "default fit", "its seconds", "reference", "its seconds", "truth", sep="\t")
    for seed in range(options.seeds):
        cohort = simulated(seed)
        folds = hiql.session_folds(cohort.data, 5, strata=cohort.data.subjects, random_state=0)
        for number, fold in enumerate(list(folds)[: options.folds]):
            train, test = cohort.data.select(fold.train), cohort.data.select(fold.test)
            true, fresh = np.log(as_the_truth(cohort, fold.test)[-1]).sum() / test.n_steps, as_read(test, train)
            for k in range(options.least, options.most + 1):
                began = time.process_time()
                ours = hiql.GLMHMM(k, progress=False).fit(train).score(test, per="step")
                between = time.process_time()
                best, _ = max(reference(train, k, SMALL_RIDGE, options.starts), key=lambda each: each[1])
                ended = time.process_time()
                p = plain.likely(fresh, best.weights)
                theirs = float(np.log(plain.forward(p, best.initial, best.transition)[1]).sum()) / test.n_steps
                scores = f"{ours:.4f}", f"{between - began:.0f}", f"{theirs:.4f}", f"{ended - between:.0f}"
                print(seed, number, k, *scores, f"{true:.4f}", sep="\t", flush=True)


def optima(options: argparse.Namespace) -> None:
    print("cohort", "K", "who", "seed", "objective", "below the best, nats", "seconds", sep="\t")
    for cohort, k in ((seed, k) for seed in range(options.seeds) for k in range(options.least, options.most + 1)):
        data, found = simulated(cohort).data, []
        for seed in range(options.fits):
            began = time.process_time()
            model = hiql.GLMHMM(k, ridge=GIVEN, random_state=seed, progress=False).fit(data)
            found.append(("default fit", seed, float(model.objective_), time.process_time() - began))
        began = time.process_time()
        for seed, (_, objective) in enumerate(reference(data, k, GIVEN, options.starts)):
            found.append(("one start of the reference", seed, objective, time.process_time() - began))
            began = time.process_time()
        best = max(objective for _, _, objective, _ in found)
        for who, seed, objective, seconds in found:
            print(cohort, k, who, seed, f"{objective:.2f}", f"{best - objective:.2f}", f"{seconds:.1f}", sep="\t")


def recovery(options: argparse.Namespace) -> None:
    """Mice alike, so that there is one truth: error of weights, and trials decoded, beside one who knows the truth."""
    print("size", "cohort", "error of weights, over their size", "decoded", "by the truth", sep="\t")
    for name, (share, n_mice) in SIZES.items():
        for seed in range(options.seeds):
            error, decoded, true = recovered(seed, share, n_mice)
            print(name, seed, f"{error:.2f}", f"{decoded:.3f}", f"{true:.3f}", sep="\t", flush=True)


def recovered(seed: int, share: float, n_mice: int) -> tuple[float, float, float]:
    """Error of the weights, over their size (root mean squares, of standardised inputs); shares of trials decoded."""
    cohort = simulated(seed, apart=0.0, n_trials=int(share * 49_177), n_mice=n_mice)
    data, k = cohort.data, len(cohort.transition)
    model = hiql.GLMHMM(k, progress=False).fit(data)
    scale = np.r_[data.inputs.std(axis=0), 1.0]
    found, true = model.weights_[:, 1] - model.weights_[:, 0], cohort.weights
    away = np.square((found[:, None] - true) * scale)[..., :-1].mean(axis=-1)
    error = np.sqrt(away[linear_sum_assignment(away)].mean() / np.square(true * scale)[:, :-1].mean())
    seen = np.arange(data.lengths.max()) < data.lengths[:, None]
    best = plain.smoothed(*as_the_truth(cohort, np.arange(data.n_sessions)), cohort.transition)[seen].argmax(axis=1)
    decoded = decoding_agreement(model.smooth_proba(data).argmax(axis=1), data.intentions)
    return float(error), decoded, float((best == data.intentions).mean())


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("study", choices=(*STUDIES,))
    parser.add_argument("--least", type=int, default=1, help="smallest K")
    parser.add_argument("--most", type=int, default=3, help="largest K")
    parser.add_argument("--seeds", type=int, default=1, help="cohorts")
    parser.add_argument("--folds", type=int, default=5, help="parts held out, of five")
    parser.add_argument("--fits", type=int, default=5, help="default fits with seeds of their own")
    parser.add_argument("--starts", type=int, default=20, help="of the reference")
    options = parser.parse_args()
    STUDIES[options.study](options)


STUDIES = {"held-out": held_out, "optima": optima, "recovery": recovery}

if __name__ == "__main__":
    main()
