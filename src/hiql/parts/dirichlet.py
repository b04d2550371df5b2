"""Rows of probabilities drawn from Dirichlet distributions, in logarithms."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
LEAST = 1e-290
"""A concentration below this is taken for it: its logarithms are far beyond any other number's."""


def log_dirichlet_draw(concentration: FloatArray, rng: np.random.Generator) -> FloatArray:
    """(…, A) log θ with θ ~ Dirichlet(concentration) over the last axis.

    A Gamma(a) variable is U^(1/a) times a Gamma(a + 1) variable (Marsaglia & Tsang 2000): so the logarithms are exact
    also where a probability is too small for a number.
    """
    a = np.maximum(concentration, LEAST)
    drawn = np.log(rng.standard_gamma(a + 1.0)) - rng.standard_exponential(a.shape) / a
    drawn -= drawn.max(axis=-1, keepdims=True)
    return np.asarray(drawn - np.log(np.exp(drawn).sum(axis=-1, keepdims=True)))
