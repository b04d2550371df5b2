"""A rat that compares two tones: the days of Akrami et al. (2018), as released with Roy et al. (2021)."""

from __future__ import annotations

import numpy as np
import pandas as pd

from hiql.datasets.fetch import local

NAME = "evidence/rat_evidence.csv.gz"
SHA256 = "8f7c151d6e02ea9cc8fcd13626caf934a311a3292028ef50b688a637df5c12bf"


def rat_evidence() -> pd.DataFrame:
    """One rat, 80 days, 20,000 trials: stimuli s1 and s2, choice and correct; from ``HIQL_DATA_DIR``.

    ``last_choice`` (−1, 1) and ``last_win`` (the same where it was rewarded, else 0) are those of the trial before,
    0 at a day's first.
    """
    table = pd.read_csv(local(NAME, SHA256))
    signed = 2 * table["choice"] - 1
    past = pd.DataFrame({"last_choice": signed, "last_win": signed * table["correct"]})
    return table.join(past.groupby(table["session"]).shift(fill_value=0).astype(np.float64))
