"""Whose clock is it? How well intentions are decoded where simulated animals change their minds at places.

Experts of the two-goal grid change their minds in the place that they enter, or on leaving it. Both are fitted with a
Markov chain, by the state left and by the state entered: one of these is the true clock. For each: the share of the
steps whose decoded intention is the true one, and nats a step on as many sessions that were not fitted, means over
seeds; then what the clock that predicts best gains in accuracy over the Markov chain, with its standard error.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import hiql
from hiql.dynamics import ByState
from hiql.evaluate import decoding_agreement
from rows import arguments

CLOCKS = {"markov": "markov"} | {at: ByState(context=at) for at in ("state left", "state entered")}
SESSIONS = 1024


class Measured(NamedTuple):
    """(3,) of the clocks, in their order."""

    accuracy: np.ndarray
    held_out: np.ndarray


def cases() -> dict[str, dict[str, Any]]:
    """The paper's expert, and experts that switch at the same places and nowhere else."""
    found: dict[str, dict[str, Any]] = {"the paper's expert": {}}
    for on_leaving, how in ((False, "entering"), (True, "leaving")):
        for chance in (0.3, 0.5):
            for sharpness in (2.0, 3.0, 5.0):
                found[f"{how}, {chance}, softmax {sharpness:g}"] = {
                    "give_up": 0.0,
                    "on_leaving": on_leaving,
                    "switch_at_barrier": chance,
                    "inverse_temperature": sharpness,
                }
    return found


def measured(seed: int, n_sessions: int = SESSIONS, **options: Any) -> Measured:
    simulated = hiql.worlds.simulate_two_goals(2 * n_sessions, random_state=seed, **options)
    train, test = (simulated.data.select(range(n, n + n_sessions)) for n in (0, n_sessions))
    fits = [hiql.HIAVI(2, mdp=simulated.world, dynamics=c, progress=False).fit(train) for c in CLOCKS.values()]
    return Measured(
        np.array([decoding_agreement(fit.decode(train), train.intentions) for fit in fits]),
        np.array([fit.score(test, per="step") for fit in fits]),
    )


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--seeds", type=int, default=6)
    options = parser.parse_args()
    columns = [f"{what} {clock}" for what in ("accuracy", "held out") for clock in CLOCKS]
    print("expert", *columns, "gain", sep="\t")
    for name, settings in cases().items():
        runs = [measured(seed, **settings) for seed in range(options.seeds)]
        accuracy, held_out = (np.array(column) for column in zip(*runs, strict=True))
        best = held_out.mean(axis=0).argmax()
        gain = accuracy[:, best] - accuracy[:, 0]
        error = gain.std(ddof=1) / np.sqrt(len(gain))
        shown = [*(f"{x:.3f}" for x in accuracy.mean(axis=0)), *(f"{x:.4f}" for x in held_out.mean(axis=0))]
        print(name, *shown, f"{gain.mean():+.3f} ± {error:.3f} ({list(CLOCKS)[best]})", sep="\t", flush=True)


if __name__ == "__main__":
    main()
