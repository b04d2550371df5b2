"""Mice in a dynamic two-armed bandit: the sessions of Bari et al. (2019), as released with Trepka et al. (2021)."""

from __future__ import annotations

import pandas as pd

from hiql.datasets.fetch import local

NAME = "bandit/mice_bandit.csv.gz"
SHA256 = "9dbe59db3b51ffee72e465e4501b739d0aa15bcc2486e1bed9a9393ac9012f03"


def mice_bandit() -> pd.DataFrame:
    """8 mice, 254 sessions, 105,730 trials, as :func:`hiql.bandit_trials` reads them; from ``HIQL_DATA_DIR``."""
    return pd.read_csv(local(NAME, SHA256))
