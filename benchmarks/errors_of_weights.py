"""How often the weights of animals lie within 1.96 of their standard errors: simulated herds, twelve animals each.

    python benchmarks/errors_of_weights.py [--intentions 1] [--herds 12]

Every animal's weights are drawn around a population's, which has weights for a stimulus and for another input, and a
bias; four sessions of 120 trials each. Errors are those of ``evaluate.effects_by_group``, and of ``evaluate.effects``
for the population, with how much animals differ as it was learned.
"""

from __future__ import annotations

import numpy as np
from scipy.special import expit

import hiql
from hiql.evaluate import Effects, effects, effects_by_group
from rows import arguments

N_ANIMALS, N_SESSIONS, N_TRIALS = 12, 4, 120
WEIGHTS = np.array([[2.0, 0.3, 0.0], [0.2, 0.0, 1.2]])
SPREAD = np.array([0.5, 0.3, 0.4])
SWITCH = 0.03
NORMAL = 1.96


def herd(k: int, seed: int) -> tuple[hiql.Trajectories, np.ndarray]:
    """Data, and the weights (animals, K, 3) of the log-odds."""
    rng = np.random.default_rng([seed, 5])
    own = WEIGHTS[:k] + SPREAD * rng.normal(size=(N_ANIMALS, k, 3))
    shape = N_ANIMALS, N_SESSIONS, N_TRIALS
    inputs, ruling = rng.normal(size=(*shape, 2)), np.zeros(shape, dtype=int)
    ruling[..., 0] = rng.integers(k, size=shape[:2])
    for t in range(1, N_TRIALS):
        ruling[..., t] = (ruling[..., t - 1] + (rng.random(shape[:2]) < SWITCH)) % k
    weights = own[np.arange(N_ANIMALS)[:, None, None], ruling]
    done = rng.random(shape) < expit((weights[..., :2] * inputs).sum(axis=-1) + weights[..., 2])
    names = [f"m{animal}" for animal in range(N_ANIMALS) for _ in range(N_SESSIONS)]
    data = hiql.Trajectories.from_arrays(
        None, list(done.astype(int).reshape(-1, N_TRIALS)), inputs=list(inputs.reshape(-1, N_TRIALS, 2)), n_actions=2,
        input_names=["stimulus", "other"], subjects=names,
    )  # fmt: skip
    return data, own


def off(found: Effects, true: np.ndarray, data: hiql.Trajectories) -> np.ndarray:
    """(K, 3) by how many standard errors; intentions by the weight of the stimulus."""
    order = np.argsort(-found.size[:, 0, 0])
    wanted = true * np.r_[data.inputs.std(axis=0), 1.0]
    wanted[:, 2] = true[:, 2] + true[:, :2] @ data.inputs.mean(axis=0)
    return (found.size[order, 0] - wanted) / found.error[order, 0]


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--intentions", type=int, default=1, choices=(1, 2))
    parser.add_argument("--herds", type=int, default=12)
    options = parser.parse_args()
    k, of_animals, of_populations = options.intentions, [], []
    for seed in range(options.herds):
        data, own = herd(k, seed)
        model = hiql.GLMHMM(k, pool="subjects", progress=False).fit(data)
        each = effects_by_group(model, data)
        of_animals.append([off(each[f"m{animal}"], own[animal], data) for animal in range(N_ANIMALS)])
        of_populations.append([off(effects(model, data), WEIGHTS[:k], data)])
    for name, z in ("animals", np.array(of_animals)), ("populations", np.array(of_populations)):
        within = (np.abs(z) < NORMAL).mean(axis=(1, 2, 3))
        error = within.std(ddof=1) / np.sqrt(len(within)) if len(within) > 1 else np.nan
        print(f"K = {k}: {within.mean():.1%} ± {error:.1%} of the weights of {name} within {NORMAL} errors")


if __name__ == "__main__":
    main()
