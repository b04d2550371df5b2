"""How a report was made, and how to cite what made it."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from datetime import UTC, datetime
from importlib.metadata import version

PACKAGES = ("hiql", "numpy", "scipy", "numba", "scikit-learn", "plotly")
PAPER = (
    "Zhu, De La Crompe, Kalweit, Schneider, Kalweit, Diester & Boedecker (2024). Multi-intention Inverse Q-learning "
    "for Interpretable Behavior Representation. Transactions on Machine Learning Research."
)
PAPER_URL = "https://openreview.net/forum?id=hrKHkmLUFk"
BIBTEX = f"""@article{{zhu2024multiintention,
  title   = {{Multi-intention Inverse Q-learning for Interpretable Behavior Representation}},
  author  = {{Zhu, Hao and De La Crompe, Brice and Kalweit, Gabriel and Schneider, Artur and Kalweit, Maria and
             Diester, Ilka and Boedecker, Joschka}},
  journal = {{Transactions on Machine Learning Research}},
  year    = {{2024}},
  month   = {{9}},
  url     = {{{PAPER_URL}}}
}}

@software{{hiql,
  title   = {{hiql: the discrete intentions behind behaviour}},
  author  = {{{{The hiql developers}}}},
  version = {{{version("hiql")}}},
  license = {{MIT}}
}}"""


def provenance(about: Mapping[str, str] | None) -> dict[str, str]:
    """What the caller tells, then the date and the versions of what made the report."""
    versions = ", ".join(f"{name} {version(name)}" for name in PACKAGES)
    made = {
        "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "versions": f"{versions}, Python {platform.python_version()}",
    }
    return {**(about or {}), **made}
