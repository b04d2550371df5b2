"""On simulated grids of 400 places, where two intentions change roles by the place entered: what does evidence choose?

    python benchmarks/grid_evidence.py --out DIR [--seeds 6 7 8]

K = 1 … 4 × a Markov chain and switching by the place entered. *Decoded* is the share of the steps that the chosen model
gives to the true intention. Seeds 10 and 11 chose what searches begin with, seeds 0 and 2 had been looked at
(docs/theory/evidence.md). Results are kept in ``--out`` as they come, so a run that was stopped goes on.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import hiql
from hiql.dynamics import ByState
from hiql.evaluate import decoding_agreement
from hiql.sweep import run_units
from rows import arguments, tell

PLACED = ByState(context="state entered")


def compute(unit: Mapping[str, Any]) -> dict[str, Any]:
    simulation = hiql.worlds.simulate_places(30, 300, unit["seed"], side=20, discount=0.97, inverse_temperature=20.0)
    data = simulation.data
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        chosen = hiql.select(data, range(1, 5), ("markov", PLACED), by="evidence", progress=False)
    row = chosen.table.iloc[chosen.selection.chosen]
    decoded = decoding_agreement(chosen.best.decode(data), data.intentions)
    found = {"K": int(row["n_intentions"]), "clock": row["dynamics"], "decoded": float(decoded)}
    return found | {"explanation": chosen.selection.explanation}


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--out", type=Path, required=True, help="folder of the results")
    parser.add_argument("--seeds", type=int, nargs="+", default=[6, 7, 8])
    options = parser.parse_args()
    outcomes, failures = run_units([{"seed": seed} for seed in options.seeds], compute, options.out, label="Choosing")
    for failure in failures:
        tell(f"failed: {failure.unit}: {failure.error}")
    print("| seed | chosen | steps decoded | |\n| --- | --- | --- | --- |")
    for one in outcomes:
        found = one.result
        chosen = f"K = {found['K']}, {found['clock']}"
        print(f"| {one.unit['seed']} | {chosen} | {found['decoded']:.3f} | {found['explanation']} |")
    right = sum(one.result["K"] == 2 and one.result["clock"] == repr(PLACED) for one in outcomes)
    print(f"Two intentions by place: {right} of {len(outcomes)}")


if __name__ == "__main__":
    main()
