"""Is there more to predict? Our best models against recurrent networks, on real animals: held-out nats a step.

    python benchmarks/ceiling.py [rat bandit nights spontaneous restricted unrestricted] [--folds 0 1 2 3 4]

A fifth of the sessions is held out (identical ones stay together), and a fifth of the others stops the training of
networks with 16, 32 and 64 units (:mod:`recurrent`) and chooses among our models. So both learn from the same
sessions, and nothing is fitted again on those that chose. One seed. Networks know who the animal is where that is
known.

What is in ``--out`` is not done again, so a run that was stopped goes on. The contexts below each table are those in
which we lose most against the network that was chosen.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

import hiql
from hiql.choices import PooledTable, PooledWeights
from hiql.data.folds import identical_sessions
from hiql.files import write_whole
from hiql.models.scoring import taken_proba
from hiql.sweep.traits import Scores, difference
from inputs import MEMORY
from pooling import with_the_node_before
from recurrent import Sequences, log_taken, sequences_of, trained
from rows import arguments

UNITS = (16, 32, 64)
NETWORK = "GRU"
Candidate = tuple[str, hiql.Trajectories, hiql.IntentionModel]


class Animals(NamedTuple):
    """What a network sees, our candidates (on the same steps), and what to call the context of a step."""

    seen: hiql.Trajectories
    candidates: list[Candidate]
    context: np.ndarray


def quick(kind: Callable[..., hiql.IntentionModel], k: int, **options: object) -> hiql.IntentionModel:
    return kind(k, n_init=2, patience=8 * (k - 1), progress=False, **options)


def rat() -> Animals:
    table = hiql.datasets.rat_evidence()
    table["day"] = table["session"].str.removeprefix("day").astype(int)
    columns = {"subject": "subject", "session": "session", "action": "choice", "day": "day", "outcome": "correct"}
    pair = table["s1"].round(2).astype(str) + ", " + table["s2"].round(2).astype(str)
    past = table["last_choice"].astype(int).astype(str) + " " + table["last_win"].astype(int).astype(str)
    weighed = hiql.read_table(table, state="none", inputs=["s1", "s2", "last_choice", "last_win"], **columns)
    stimuli = hiql.read_table(table.assign(pair=pair), state="pair", inputs=["s1", "s2"], **columns)
    both = hiql.read_table(table.assign(pair=pair + "; " + past), state="pair", **columns)
    parents = _pairs_and_pasts(both)
    found: list[Candidate] = []
    for k in (1, 2, 3):
        found.append((f"K={k} stimuli by days", stimuli, quick(hiql.HIQL, k, pool="days")))
        found.append((f"K={k} stimuli and the last trial, pooled", both, _pooled(k, parents)))
        found.append((f"K={k} linear", weighed, quick(hiql.GLMHMM, k)))
    return Animals(stimuli, found, np.array(stimuli.state_labels)[stimuli.states])


def _pairs_and_pasts(data: hiql.Trajectories) -> np.ndarray:
    """A state "pair; past" lies around its pair, and pairs around the root."""
    pairs, of = np.unique([label.split("; ")[0] for label in map(str, data.state_labels or ())], return_inverse=True)
    root = data.n_states + len(pairs)
    return np.r_[data.n_states + of, np.full(len(pairs), root), -1]


def _pooled(k: int, parents: np.ndarray, dynamics: str = "markov") -> hiql.IntentionModel:
    return quick(hiql.IntentionModel, k, choice=PooledTable(parents=parents), dynamics=dynamics)


def bandit() -> Animals:
    mice = hiql.datasets.mice_bandit()
    seen, last = hiql.bandit_trials(mice, history=0), hiql.bandit_trials(mice, history=2)
    memories, histories = hiql.bandit_trials(mice, history=0, memory=MEMORY), hiql.bandit_trials(mice, history=5)
    found: list[Candidate] = [("K=3 histories of 5, pooled", histories, quick(hiql.HIQL, 3, prior="pooled"))]
    for k in (1, 2, 3):
        found.append((f"K={k} memory", memories, quick(hiql.GLMHMM, k)))
        found.append((f"K={k} memory, by animal", memories, quick(hiql.GLMHMM, k, pool="subjects")))
    return Animals(seen, found, np.array(last.state_labels)[last.states])


def nights() -> Animals:
    data = hiql.datasets.labyrinth_long().data
    paired, parents = with_the_node_before(data)
    found = [(f"K={k} two nodes, pooled", paired, _pooled(k, parents)) for k in (1, 2, 3, 4)]
    found += [(f"K={k} two nodes, pooled, by state", paired, _pooled(k, parents, "by-state")) for k in (2, 3)]
    return Animals(data, found, data.states)


def spontaneous() -> Animals:
    """Every third session."""
    data = hiql.datasets.spontaneous()
    data = data.select(np.arange(0, data.n_sessions, 3))
    paired, parents = with_the_node_before(data)
    weights = quick(hiql.IntentionModel, 1, choice=PooledWeights(by="state entered"))
    found: list[Candidate] = [("K=1 syllable and dopamine", data, weights)]
    found += [(f"K={k} two syllables, pooled", paired, _pooled(k, parents)) for k in (1, 2, 3)]
    return Animals(data, found, data.states)


def maze(cohort: str) -> Animals:
    found = hiql.datasets.labyrinth(cohort)
    paired, parents = with_the_node_before(found.data)
    ours: list[Candidate] = []
    for k in (1, 2, 3):
        ours.append((f"K={k}", found.data, quick(hiql.HIAVI, k, mdp=found.mdp)))
        ours.append((f"K={k} two nodes, pooled", paired, _pooled(k, parents)))
        ours.append((f"K={k} by state", found.data, quick(hiql.HIAVI, k, mdp=found.mdp, dynamics="by-state")))
    return Animals(found.data, ours, found.data.states)


SETS: dict[str, Callable[[], Animals]] = {
    "rat": rat,
    "bandit": bandit,
    "nights": nights,
    "spontaneous": spontaneous,
    "restricted": lambda: maze("restricted"),
    "unrestricted": lambda: maze("unrestricted"),
}


class Parts(NamedTuple):
    """Sessions to learn from, to choose by, and to report on."""

    learn: np.ndarray
    choose: np.ndarray
    held_out: np.ndarray


def parts_of(data: hiql.Trajectories, fold: int) -> Parts:
    groups = np.array(identical_sessions(data))
    strata = np.array(data.subjects)
    outer = hiql.session_folds(data, 5, groups=groups, strata=strata)[fold]
    left = data.select(outer.train)
    inner = hiql.session_folds(left, 5, groups=groups[outer.train], strata=strata[outer.train])[0]
    return Parts(outer.train[inner.train], outer.train[inner.test], outer.test)


class Predicted(NamedTuple):
    """Mean on the sessions that choose, nats of every held-out step (N,), seconds of the processor."""

    choosing: float
    nats: np.ndarray
    seconds: float


def ours(data: hiql.Trajectories, model: hiql.IntentionModel, parts: Parts) -> Predicted:
    began = time.process_time()
    model.fit(data.select(parts.learn))
    choosing, nats = (np.log(taken_proba(model, data.select(part))) for part in (parts.choose, parts.held_out))
    return Predicted(float(np.nanmean(choosing)), nats, time.process_time() - began)


def network(data: hiql.Trajectories, units: int, parts: Parts) -> Predicted:
    began = time.process_time()
    every = sequences_of(data)
    learn, choose, held_out = (Sequences(every.seen[part], every.actions[part]) for part in parts)
    weights, choosing = trained(learn, choose, units, data.n_actions)
    inside = np.arange(every.actions.shape[1]) < data.lengths[parts.held_out][:, None]
    return Predicted(choosing, log_taken(weights, held_out)[inside], time.process_time() - began)


def kept(path: Path, make: Callable[[], Predicted]) -> Predicted:
    """What is in the file; else what is made now, and written there."""
    if not path.exists():
        content = BytesIO()
        np.savez(content, **make()._asdict())
        write_whole(path, content.getvalue())
    with np.load(path) as file:
        return Predicted(float(file["choosing"]), file["nats"], float(file["seconds"]))


def compare(animals: Animals, fold: int, all_units: Sequence[int], folder: Path) -> Iterator[tuple[str, Predicted]]:
    parts = parts_of(animals.seen, fold)
    makers = {name: partial(ours, data, model, parts) for name, data, model in animals.candidates}
    makers |= {f"{NETWORK} of {units}": partial(network, animals.seen, units, parts) for units in all_units}
    for name, make in makers.items():
        yield name, kept(folder / f"fold {fold}" / f"{name}.npz", make)


class Outcome(NamedTuple):
    """Sessions that were held out, and the nats of each of their steps under both that were chosen."""

    held_out: np.ndarray
    ours: np.ndarray
    network: np.ndarray


def outcome_of(animals: Animals, fold: int, units: Sequence[int], folder: Path) -> Outcome:
    """All candidates of one fold, told as they come; of ours and of the networks the one that chose best."""
    print("model\tchoosing\theld out\tseconds of processor", flush=True)
    found = {}
    for name, made in compare(animals, fold, units, folder):
        print(f"{name}\t{made.choosing:.4f}\t{np.nanmean(made.nats):.4f}\t{made.seconds:.0f}", flush=True)
        found[name] = made
    networks = {name for name in found if name.startswith(NETWORK)}
    chosen = [max(names, key=lambda name: found[name].choosing) for names in (found.keys() - networks, networks)]
    print(f"chosen: {chosen[0]}; {chosen[1]}", flush=True)
    return Outcome(parts_of(animals.seen, fold).held_out, *(found[name].nats for name in chosen))


def tell_difference(animals: Animals, outcomes: list[Outcome]) -> None:
    """Ours minus the network's, and where we lose most: in nats a step of all, so that contexts add up."""
    held_out, own, theirs = (np.concatenate(each) for each in zip(*outcomes, strict=True))
    steps = np.concatenate([np.arange(animals.seen.n_steps)[animals.seen.session(int(i))] for i in held_out])
    known = ~np.isnan(own) & ~np.isnan(theirs)
    table = pd.DataFrame({"ours": own, "network": theirs, "session": animals.seen.session_of_step[steps], "n": 1.0})
    table = table.assign(context=animals.context[steps])[known]
    by_session = table.groupby("session")[["ours", "network", "n"]].sum()
    scores = (Scores(by_session[name].to_numpy(), by_session["n"].to_numpy()) for name in ("ours", "network"))
    print(f"ours − network: {difference(*scores)} nats a step, {len(by_session)} sessions")
    by_context = table.assign(gain=table["ours"] - table["network"]).groupby("context")[["gain", "n"]].sum() / len(
        table
    )
    for label, row in by_context.sort_values("gain").head(4).iterrows():
        print(f"  {label}: {row['gain']:+.4f} of all, {row['n']:.1%} of the steps")


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("sets", nargs="*", help=f"some of: {', '.join(SETS)}; all by default")
    parser.add_argument("--folds", type=int, nargs="+", choices=range(5), default=[0], help="parts that are held out")
    parser.add_argument("--units", type=int, nargs="+", default=UNITS, help="sizes of the networks")
    parser.add_argument("--out", type=Path, default=Path("build/ceiling"), help="what is there is not done again")
    options = parser.parse_args()
    for name in options.sets or SETS:
        animals = SETS[name]()
        print(f"\n{name}, folds {options.folds}", flush=True)
        tell_difference(
            animals, [outcome_of(animals, fold, options.units, options.out / name) for fold in options.folds]
        )


if __name__ == "__main__":
    main()
