"""Do 95 % intervals hold the truth in 95 of 100 experiments, and are ranks of the truth uniform?

    python benchmarks/intervals.py --out DIR [--only PREFIX] [--n N]

Each *study* simulates N experiments, fits a model to each, draws from its posterior, and looks where the truth lies.
Results are kept in DIR, one line an experiment, and what is there is not done again: so a run that was broken off goes
on, and a larger N adds to it. The numbers in docs/theory/intervals.md are what this command prints.

*Ranks* (simulation-based calibration, Talts et al. 2018): parameters are drawn from the very prior, data from them;
then the rank of the truth among the draws is uniform if the sampler is right, for each number. χ² has 9 degrees of
freedom. *Coverage*: at sizes of real experiments, with parameters from the prior or given, with the search and the
warnings that a user has; *unwarned* are those experiments whose chains mixed, by their own account.

The truth is called as draws are: by the assignment of its own path to the fit's posterior. That rule is the same for
the truth and for draws, so ranks are uniform under any; *stays* (the trace of Λ) and *acts* (π of an intention met by
chance) do not depend on names at all.
"""

from __future__ import annotations

import argparse
import json
import warnings
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
from scipy.special import softmax
from scipy.stats import chi2

import hiql
from hiql.choices import LinearChoice
from hiql.engine.sampling import Names
from hiql.models import IntentionModel
from hiql.models.posterior import quantiles

LEVEL, N_BINS, RANKS = 0.95, 10, 100


class Experiment(NamedTuple):
    """Simulated ``data``, an unfitted ``model`` for it, the ``truth`` by name, the first axes of which are intentions
    (the second, too, of ``transition_``), and the true ``path`` (N,)."""

    model: IntentionModel
    data: hiql.Trajectories
    truth: dict[str, np.ndarray]
    path: np.ndarray


class Study(NamedTuple):
    """``make(rng)`` simulates one experiment; ``names`` are looked at; ``ranks`` if parameters come from the prior.

    Ranks want independent draws, ``thin`` sweeps apart. Coverage wants many, for intervals of 100 draws are meant to
    hold the truth in 94.1 %; how far apart they are, the sampler finds out, as it does for its users.
    """

    make: Callable[[np.random.Generator], Experiment]
    names: tuple[str, ...]
    ranks: bool
    thin: int | None = None

    @property
    def sampling(self) -> dict[str, Any]:
        if self.ranks:
            return {"n_draws": RANKS, "n_chains": 2, "warm_up": 50, "thin": self.thin or 5}
        return {"n_draws": 400, "n_chains": 4, "warm_up": 100, "thin": None}


def dirichlet(rng, concentration, shape=()):
    return rng.dirichlet(concentration, shape) if len(concentration) > 1 else np.ones((*shape, 1))


def simulated(rng, initial, matrix_of, proba_of, n_sessions, n_steps):
    """Paths and actions where session s begins with ``initial`` (K,), ``matrix_of(s, t)`` leads into step t, and
    ``proba_of(s, t)`` (K, A) acts."""
    path, actions = np.zeros((2, n_sessions, n_steps), dtype=int)
    for s in range(n_sessions):
        for t in range(n_steps):
            odds = initial if t == 0 else matrix_of(s, t)[path[s, t - 1]]
            path[s, t] = rng.choice(len(odds), p=odds)
            odds = proba_of(s, t)[path[s, t]]
            actions[s, t] = rng.choice(len(odds), p=odds)
    return path, actions


def always(matrix):
    """The same matrix leads into every step."""
    return lambda *_: matrix


def experiment(model, states, actions, path, truth, n_states, n_actions, **options):
    data = hiql.Trajectories.from_arrays(
        None if states is None else list(states), list(actions), n_states=n_states, n_actions=n_actions, **options
    )
    flat = path.ravel()
    k = model.n_intentions
    share = np.bincount(flat, minlength=k) / len(flat)
    return Experiment(model.set_params(progress=False), data, truth | {"share_": share}, flat)


NAMELESS = {
    "stays": lambda model: np.trace(model.transition_)[None],
    "acts": lambda model: np.tensordot(model.share_, model.policy_, 1),
}
"""Functions of a fitted model, or of the truth, that do not depend on what intentions are called."""


def chain_truth(initial, transition):
    with np.errstate(divide="ignore"):
        return {"initial_": initial, "transition_": transition, "durations": 1.0 / (1.0 - np.diag(transition))}


# --- the studies ------------------------------------------------------------------------------------------------


def flat(n_intentions, n_states, n_actions, n_sessions, n_steps):
    """Everything from the prior: Dirichlet(1.1) rows."""

    def make(rng):
        initial = dirichlet(rng, [1.1] * n_intentions)
        transition = dirichlet(rng, [1.1] * n_intentions, (n_intentions,))
        policy = dirichlet(rng, [1.1] * n_actions, (n_intentions, n_states))
        states = rng.integers(n_states, size=(n_sessions, n_steps))
        path, actions = simulated(
            rng, initial, always(transition), lambda s, t: policy[:, states[s, t]], n_sessions, n_steps
        )
        truth = chain_truth(initial, transition) | {"policy_": policy}
        return experiment(IntentionModel(n_intentions), states, actions, path, truth, n_states, n_actions)

    return make


def given(stay, contrast, n_states, n_actions, n_sessions, n_steps):
    """A sticky chain that is given, and policies softmax(contrast · normal noise)."""

    def make(rng):
        k = len(stay)
        transition = np.array(
            [[each if i == j else (1 - each) / (k - 1) for j in range(k)] for i, each in enumerate(stay)]
        )
        initial = np.full(k, 1 / k)
        policy = softmax(contrast * rng.normal(size=(k, n_states, n_actions)), axis=-1)
        states = rng.integers(n_states, size=(n_sessions, n_steps))
        path, actions = simulated(
            rng, initial, always(transition), lambda s, t: policy[:, states[s, t]], n_sessions, n_steps
        )
        truth = chain_truth(initial, transition) | {"policy_": policy}
        return experiment(IntentionModel(k), states, actions, path, truth, n_states, n_actions)

    return make


def session_wise(n_intentions, n_states, n_actions, n_sessions, n_steps):
    """One intention a session, all from the prior."""

    def make(rng):
        initial = dirichlet(rng, [1.1] * n_intentions)
        policy = dirichlet(rng, [1.1] * n_actions, (n_intentions, n_states))
        states = rng.integers(n_states, size=(n_sessions, n_steps))
        same = np.eye(n_intentions)
        path, actions = simulated(rng, initial, always(same), lambda s, t: policy[:, states[s, t]], n_sessions, n_steps)
        truth = {"initial_": initial, "policy_": policy}
        model = IntentionModel(n_intentions, dynamics="session-wise")
        return experiment(model, states, actions, path, truth, n_states, n_actions)

    return make


def strength_from_prior(rng, size):
    """log s ~ Normal(log 10, 3²), between 0.1 and 10⁴."""
    found = []
    while len(found) < size:
        s = np.exp(rng.normal(np.log(10.0), 3.0))
        found += [s] if 0.1 <= s <= 1e4 else []
    return np.array(found)


def around(rng, strength, row, shape):
    """Rows ~ Dirichlet(s · row), however small s."""
    a = np.broadcast_to(np.maximum(strength * row, 1e-290), (*shape, len(row)))
    logs = np.log(rng.standard_gamma(a + 1)) - rng.standard_exponential(a.shape) / a
    return softmax(logs, axis=-1)


def by_state(n_intentions, n_states, n_actions, n_sessions, n_steps):
    """A matrix for each state left, around a common one; strengths and all rows from the prior."""

    def make(rng):
        k = n_intentions
        initial = dirichlet(rng, [1.1] * k)
        common = dirichlet(rng, [1.1] * k, (k,))
        strength = strength_from_prior(rng, k)
        bank = np.stack([around(rng, strength[i], common[i], (n_states,)) for i in range(k)], axis=1)
        policy = dirichlet(rng, [1.1] * n_actions, (k, n_states))
        states = rng.integers(n_states, size=(n_sessions, n_steps))
        path, actions = simulated(
            rng, initial, lambda s, t: bank[states[s, t - 1]], lambda s, t: policy[:, states[s, t]], n_sessions, n_steps
        )
        everywhere = np.concatenate([bank, common[None]])
        truth = {"initial_": initial, "transition_strength_": strength, "policy_": policy}
        truth["transition_by_context_"] = everywhere
        return experiment(IntentionModel(k, dynamics="by-state"), states, actions, path, truth, n_states, n_actions)

    return make


def pooled(n_intentions, parents, n_states, n_actions, n_sessions, n_steps):
    """Policies in a tree of states; strengths and all rows from the prior."""
    parents = np.asarray(parents)

    def make(rng):
        k = n_intentions
        depth = np.array([0 if p < 0 else (1 if parents[p] < 0 else 2) for p in parents])
        strength = np.stack([strength_from_prior(rng, k) for _ in range(depth.max())], axis=1)
        rows = np.zeros((k, len(parents), n_actions))
        for node in np.argsort(depth, kind="stable"):
            for i in range(k):
                if parents[node] < 0:
                    rows[i, node] = dirichlet(rng, [1.1] * n_actions)
                else:
                    rows[i, node] = around(rng, strength[i, depth[node] - 1], rows[i, parents[node]], ())
        policy = rows[:, :n_states]
        initial, transition = dirichlet(rng, [1.1] * k), dirichlet(rng, [1.1] * k, (k,))
        states = rng.integers(n_states, size=(n_sessions, n_steps))
        path, actions = simulated(
            rng, initial, always(transition), lambda s, t: policy[:, states[s, t]], n_sessions, n_steps
        )
        truth = chain_truth(initial, transition) | {"policy_": policy, "policy_strength_": strength}
        model = IntentionModel(k, choice=hiql.choices.PooledTable(parents=parents))
        return experiment(model, states, actions, path, truth, n_states, n_actions)

    return make


def linear(n_intentions, n_inputs, n_actions, n_sessions, n_steps, ridge=1.0, lapse=False):
    """Weights of standardised inputs ~ Normal(0, 1/ridge), and everything else from the prior."""

    def make(rng):
        k = n_intentions
        inputs = rng.normal(size=(n_sessions, n_steps, n_inputs))
        flat_inputs = inputs.reshape(-1, n_inputs)
        inputs = (inputs - flat_inputs.mean(axis=0)) / flat_inputs.std(axis=0)
        weights = rng.normal(scale=ridge**-0.5, size=(k, n_actions, n_inputs + 1))
        weights -= weights.mean(axis=1, keepdims=True)
        rate = rng.beta(2.0, 20.0, size=k) if lapse else np.zeros(k)
        initial, transition = dirichlet(rng, [1.1] * k), dirichlet(rng, [1.1] * k, (k,))

        def proba(s, t):
            chosen = softmax(weights @ np.append(inputs[s, t], 1.0), axis=-1)
            return (1 - rate[:, None]) * chosen + rate[:, None] / n_actions

        path, actions = simulated(rng, initial, always(transition), proba, n_sessions, n_steps)
        names = [f"u{d}" for d in range(n_inputs)]
        truth = chain_truth(initial, transition) | {"weights_": weights} | ({"lapse_": rate} if lapse else {})
        model = IntentionModel(k, choice=LinearChoice(ridge, bias_ridge=ridge, lapse=lapse))
        return experiment(model, None, actions, path, truth, 1, n_actions, inputs=list(inputs), input_names=names)

    return make


CHAIN = ("initial_", "transition_", "share_")
REAL = (*CHAIN, "durations", "policy_")
TREE = (4, 4, 5, 5, 6, 6, -1)
STUDIES = {
    "ranks-flat": Study(flat(2, 2, 2, 8, 15), (*CHAIN, "policy_", *NAMELESS), True),
    "ranks-flat-3": Study(flat(3, 3, 3, 8, 25), (*CHAIN, "policy_", *NAMELESS), True, 10),
    "ranks-session-wise": Study(session_wise(2, 2, 2, 12, 6), ("initial_", "share_", "policy_"), True),
    "ranks-by-state": Study(
        by_state(2, 2, 3, 8, 25), ("initial_", "transition_by_context_", "transition_strength_", "policy_"), True, 10
    ),
    "ranks-pooled": Study(pooled(2, TREE, 4, 2, 8, 25), (*CHAIN, "policy_", "policy_strength_"), True, 10),
    "ranks-linear": Study(linear(2, 1, 2, 8, 25), (*CHAIN, "weights_"), True, 10),
    "ranks-linear-3": Study(linear(2, 2, 3, 8, 25, lapse=True), (*CHAIN, "weights_", "lapse_"), True, 10),
    "coverage-one": Study(flat(1, 8, 3, 30, 100), ("policy_",), False),
    "coverage-prior": Study(flat(2, 8, 3, 30, 100), REAL, False),
    "coverage-prior-3": Study(flat(3, 16, 4, 40, 150), REAL, False),
    "coverage-sticky": Study(given((0.95, 0.98), 1.5, 8, 2, 40, 100), REAL, False),
    "coverage-sticky-3": Study(given((0.95, 0.97, 0.9), 1.5, 16, 3, 40, 150), REAL, False),
    "coverage-linear": Study(linear(2, 3, 2, 30, 100), (*CHAIN, "durations", "weights_"), False),
}


# --- one experiment ----------------------------------------------------------------------------------------------


def looked_at(study: Study, seed: int, name: str) -> dict[str, Any]:
    """Ranks of the truth among the draws, and whether the intervals hold it, for each number."""
    rng = np.random.default_rng([seed, *name.encode()])
    model, data, truth, path = study.make(rng)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.set_params(random_state=seed).fit(data)
        posterior = model.sample_posterior(data, **study.sampling)
        order = Names(model._problem(data), model._point).order(path)
        found: dict[str, Any] = {"seed": seed, "warned": bool(posterior.doubts), "ranks": {}, "held": {}}
        for each in study.names:
            asked = NAMELESS.get(each, each)
            true = asked(SimpleNamespace(**truth)) if callable(asked) else renamed(each, truth[each], order)
            draws = posterior.draws(asked)
            low, high = quantiles(draws, LEVEL)
            ties = rng.random((*draws.shape[1:], 1))
            smaller, same = (draws < true).sum(axis=0), (draws == true).sum(axis=0)
            rank = smaller + np.floor(ties[..., 0] * (same + 1))
            found["ranks"][each] = rank.astype(int).ravel().tolist()
            found["held"][each] = ((low <= true) & (true <= high)).ravel().tolist()
    return found


def renamed(name: str, true: np.ndarray, order: np.ndarray) -> np.ndarray:
    """The truth with intention ``order[i]`` called i."""
    if name == "transition_":
        return true[np.ix_(order, order)]
    if name == "transition_by_context_":
        return true[:, order][:, :, order]
    return true[order]


# --- all of them -------------------------------------------------------------------------------------------------


def run(name: str, n: int, folder: Path) -> list[dict[str, Any]]:
    """The first n experiments of a study; those found in the folder are not done again."""
    file = folder / f"{name}.jsonl"
    done = [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []
    with file.open("a") as out:
        for seed in range(len(done), n):
            done.append(looked_at(STUDIES[name], seed, name))
            out.write(json.dumps(done[-1]) + "\n")
            out.flush()
    return done[:n]


def chi_square(ranks: np.ndarray) -> float:
    """p of ranks 0 … RANKS (n,) being uniform, from N_BINS bins."""
    bins = np.arange(RANKS + 1) * N_BINS // (RANKS + 1)
    expected = np.bincount(bins, minlength=N_BINS) / (RANKS + 1)
    seen = np.bincount(bins[ranks], minlength=N_BINS)
    return float(chi2.sf(((seen - len(ranks) * expected) ** 2 / (len(ranks) * expected)).sum(), N_BINS - 1))


def told(name: str, results: list[dict[str, Any]]) -> list[str]:
    """Lines of a table: for each quantity the coverage, with its error over experiments, and p values of ranks."""
    warned = np.array([one["warned"] for one in results])
    lines = []
    for each in STUDIES[name].names:
        held = np.array([one["held"][each] for one in results], dtype=float).mean(axis=1)
        line = f"| {name} | {len(held)} | {each} | {coverage(held)} |"
        if STUDIES[name].ranks:
            ranks = np.array([one["ranks"][each] for one in results])
            p = np.array([chi_square(column) for column in ranks.T])
            line += f" | {p.min():.3f} of {len(p)}; {min(1.0, p.min() * len(p)):.2f} |"
        else:
            line += f" {coverage(held[~warned])} ({(~warned).sum()}) | |"
        lines.append(line)
    return lines


def coverage(held: np.ndarray) -> str:
    """The share of numbers held, with its error over experiments (n,), which share their numbers."""
    return f"{held.mean():.1%} ± {held.std(ddof=1) / np.sqrt(len(held)):.1%}" if len(held) > 1 else "–"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--only", default="")
    parser.add_argument("--n", type=int, default=200)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    print(
        "| study | experiments | quantity | 95 % intervals hold the truth | unwarned | least p of ranks; Bonferroni |"
    )
    print("| --- | --- | --- | --- | --- | --- |")
    for name in STUDIES:
        if name.startswith(options.only):
            print("\n".join(told(name, run(name, options.n, options.out))), flush=True)


if __name__ == "__main__":
    main()
