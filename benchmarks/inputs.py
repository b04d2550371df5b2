"""What inputs add, on real animals: held-out nats a step, and paired differences with their errors over sessions.

    python benchmarks/inputs.py rat            # one rat: stimuli and the last trial, beside tables
    python benchmarks/inputs.py bandit         # mice with leaky memories, beside histories of three trials
    python benchmarks/inputs.py spontaneous    # does dopamine drive choices, switching, or neither?

Every session is held out once, in ``--folds`` parts; parts are drawn, settings are the defaults, nothing was tuned on
these scores. The control of dopamine is that of another session.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

import hiql
from hiql.choices import PooledTable
from hiql.dynamics import InputDriven
from hiql.models.scoring import taken_proba
from hiql.sweep.traits import Scores, difference
from rows import arguments

MEMORY = (1, 2, 4, 8, 16, 40)
Candidates = Iterator[tuple[str, hiql.Trajectories, hiql.IntentionModel]]


def held_out(data: hiql.Trajectories, model: hiql.IntentionModel, n_folds: int, kept: Callable[[int], Path]) -> Scores:
    """Log-likelihood and steps of every session, each held out once; parts that are ``kept`` are not fitted again."""
    total, steps = np.zeros(data.n_sessions), np.zeros(data.n_sessions)
    for number, fold in enumerate(hiql.session_folds(data, n_folds, strata=data.subjects, random_state=0)):
        if not kept(number).exists():
            np.savetxt(made := kept(number).with_suffix(".part"), scored(data, model, fold))
            made.rename(kept(number))
        total[fold.test], steps[fold.test] = np.loadtxt(kept(number), ndmin=2).T
    return Scores(total, steps)


def scored(data: hiql.Trajectories, model: hiql.IntentionModel, fold: hiql.data.folds.Fold) -> np.ndarray:
    """(sessions, 2) the same of one part."""
    test = data.select(fold.test)
    taken = taken_proba(model.fit(data.select(fold.train)), test)
    seen = ~np.isnan(taken)
    of = test.session_of_step[seen]
    total = np.bincount(of, np.log(taken[seen]), minlength=test.n_sessions)
    return np.column_stack([total, np.bincount(of, minlength=test.n_sessions)])


def spread(data: hiql.Trajectories, n_sessions: int) -> hiql.Trajectories:
    """So many sessions of the data, evenly spread; 0: all."""
    wanted = min(n_sessions or data.n_sessions, data.n_sessions)
    return data.select(np.arange(wanted) * data.n_sessions // wanted)


def rat(most: int) -> Candidates:
    """A table of the 16 pairs of stimuli, and regressions on the stimuli and the last trial."""
    table = hiql.datasets.rat_evidence()
    inputs = ["s1", "s2", "last_choice", "last_win"]
    options = {"subject": "subject", "session": "session", "action": "choice", "inputs": inputs}
    weighed = hiql.read_table(table, state="none", **options)
    pairs = table["s1"].astype(str) + " " + table["s2"].astype(str)
    by_pair = hiql.read_table(table.assign(pair=pairs), state="pair", **options)
    for k in range(1, most + 1):
        yield f"K={k} table of s1 and s2", by_pair, hiql.HIQL(k, progress=False)
        yield f"K={k} s1 and s2", weighed, hiql.GLMHMM(k, inputs=("s1", "s2"), progress=False)
        yield f"K={k} s1, s2 and the last trial", weighed, hiql.GLMHMM(k, progress=False)


def bandit(most: int) -> Candidates:
    mice = hiql.datasets.mice_bandit()
    histories = hiql.bandit_trials(mice, history=3)
    memories = hiql.bandit_trials(mice, history=0, memory=MEMORY)
    for k in range(1, most + 1):
        yield f"K={k} histories of 3", histories, hiql.HIQL(k, progress=False)
        yield f"K={k} memory", memories, hiql.GLMHMM(k, progress=False)
        yield f"K={k} memory, by animal", memories, hiql.GLMHMM(k, pool="subjects", progress=False)


def spontaneous(most: int) -> Candidates:
    """Each with dopamine as it was, and with that of another session.

    Choices: a policy for each syllable and third of dopamine, around that of the syllable, how near is learned; so they
    need not be linear in it. Switching: a regression.
    """
    data = hiql.datasets.spontaneous()
    of_the_session_before = np.roll(data.inputs.reshape(data.n_sessions, -1), 1, axis=0).reshape(data.inputs.shape)
    given = {"control": replace(data, inputs=of_the_session_before), "dopamine": data}
    yield "K=1 table", data, hiql.HIQL(1, progress=False)
    of_syllable = 3 * data.n_states + np.repeat(np.arange(data.n_states), 3)
    choice = PooledTable(parents=np.r_[of_syllable, np.full(data.n_states, -1)])
    for name, each in given.items():
        yield f"K=1 choices, {name}", by_third(each), hiql.IntentionModel(1, choice=choice, progress=False)
    for k in range(2, most + 1):
        quick = {"n_init": 2, "patience": 4, "progress": False}
        yield f"K={k} chain", data, hiql.HIQL(k, **quick)
        for name, each in given.items():
            yield f"K={k} switching, {name}", each, hiql.HIQL(k, dynamics=InputDriven(), **quick)


def by_third(data: hiql.Trajectories) -> hiql.Trajectories:
    """The same, where a state is a syllable and a third of the values of dopamine."""
    dopamine = data.inputs[:, 0]
    third = np.searchsorted(np.quantile(dopamine, (1 / 3, 2 / 3)), dopamine)
    cuts = data.offsets[1:-1]
    states, actions = np.split(3 * data.states + third, cuts), np.split(data.actions, cuts)
    return hiql.Trajectories.from_arrays(states, actions, n_states=3 * data.n_states, n_actions=data.n_actions)


SETS: dict[str, Callable[[int], Candidates]] = {"rat": rat, "bandit": bandit, "spontaneous": spontaneous}


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("set", choices=SETS)
    parser.add_argument("--most", type=int, default=4, help="largest K")
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--sessions", type=int, default=0, help="so many of them, evenly spread; 0: all")
    parser.add_argument("--only", default="", help="candidates whose name has this text")
    parser.add_argument("--keep", type=Path, help="a folder for scores of parts: to go on after an interruption")
    options = parser.parse_args()
    folder = options.keep or Path(tempfile.mkdtemp())
    folder.mkdir(parents=True, exist_ok=True)
    print("candidate", "nats a step", "against the one before", "seconds", sep="\t")
    before = None
    for name, data, model in SETS[options.set](options.most):
        if options.only not in name:
            continue
        began = time.perf_counter()
        words = [options.set, *name.split(), str(options.folds), str(options.sessions)]
        scores = held_out(
            spread(data, options.sessions), model, options.folds, lambda n, w=words: folder / "-".join([*w, f"{n}.txt"])
        )
        mean = scores.log_likelihood.sum() / scores.steps.sum()
        gain = "" if before is None else str(difference(scores, before))
        print(name, f"{mean:.4f}", gain, f"{time.perf_counter() - began:.0f}", sep="\t", flush=True)
        before = scores


if __name__ == "__main__":
    main()
