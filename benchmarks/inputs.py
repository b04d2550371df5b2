"""What inputs add, on real animals: held-out nats a step, and paired differences with their errors over sessions.

    python benchmarks/inputs.py rat            # one rat: stimuli and the last trial, beside tables
    python benchmarks/inputs.py bandit         # mice with leaky memories, beside histories of three trials
    python benchmarks/inputs.py spontaneous    # does dopamine drive choices, switching, or neither?

Every session is held out once, in ``--folds`` parts; parts are drawn, settings are the defaults, nothing was tuned on
these scores. The control of dopamine is that of another session.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

import hiql
from hiql.choices import PooledWeights
from hiql.dynamics import InputDriven
from hiql.models.scoring import taken_proba
from hiql.sweep.traits import Scores, difference
from rows import arguments

MEMORY = (1, 2, 4, 8, 16, 40)
Candidates = Iterator[tuple[str, hiql.Trajectories, hiql.IntentionModel]]


def held_out(data: hiql.Trajectories, model: hiql.IntentionModel, n_folds: int) -> Scores:
    """Log-likelihood and steps of every session, each held out once."""
    total, steps = np.zeros(data.n_sessions), np.zeros(data.n_sessions)
    for fold in hiql.session_folds(data, n_folds, strata=data.subjects, random_state=0):
        test = data.select(fold.test)
        taken = taken_proba(model.fit(data.select(fold.train)), test)
        seen = ~np.isnan(taken)
        of = test.session_of_step[seen]
        total[fold.test] = np.bincount(of, np.log(taken[seen]), minlength=test.n_sessions)
        steps[fold.test] = np.bincount(of, minlength=test.n_sessions)
    return Scores(total, steps)


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
    """Each with dopamine as it was, and with that of another session."""
    data = hiql.datasets.spontaneous()
    of_the_session_before = np.roll(data.inputs.reshape(data.n_sessions, -1), 1, axis=0).reshape(data.inputs.shape)
    control = replace(data, inputs=of_the_session_before)
    yield "K=1 table", data, hiql.HIQL(1, progress=False)
    for name, given in (("control", control), ("dopamine", data)):
        choice = PooledWeights(by="state entered")
        yield f"K=1 choices, {name}", given, hiql.IntentionModel(1, choice=choice, progress=False)
    for k in range(2, most + 1):
        quick = {"n_init": 2, "patience": 4, "progress": False}
        yield f"K={k} chain", data, hiql.HIQL(k, **quick)
        for name, given in (("control", control), ("dopamine", data)):
            yield f"K={k} switching, {name}", given, hiql.HIQL(k, dynamics=InputDriven(), **quick)


SETS: dict[str, Callable[[int], Candidates]] = {"rat": rat, "bandit": bandit, "spontaneous": spontaneous}


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("set", choices=SETS)
    parser.add_argument("--most", type=int, default=4, help="largest K")
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--sessions", type=int, default=0, help="so many of them, evenly spread; 0: all")
    parser.add_argument("--only", default="", help="candidates whose name has this text")
    options = parser.parse_args()
    print("candidate", "nats a step", "against the one before", "seconds", sep="\t")
    before = None
    for name, data, model in SETS[options.set](options.most):
        if options.only not in name:
            continue
        began = time.perf_counter()
        scores = held_out(spread(data, options.sessions), model, options.folds)
        mean = scores.log_likelihood.sum() / scores.steps.sum()
        gain = "" if before is None else str(difference(scores, before))
        print(name, f"{mean:.4f}", gain, f"{time.perf_counter() - began:.0f}", sep="\t", flush=True)
        before = scores


if __name__ == "__main__":
    main()
