"""What a part of a model answers for. The engine, the search and model files ask nothing else of it."""

from __future__ import annotations

from typing import Any, Protocol, Self, TypeVar

import numpy as np
import numpy.typing as npt

from hiql.data.coding import Coding
from hiql.data.trajectories import Trajectories
from hiql.errors import InvalidParameter
from hiql.parts.path import Path
from hiql.parts.reads import Reads

FloatArray = npt.NDArray[np.float64]
Order = npt.NDArray[np.intp]
Params = TypeVar("Params")
"""A part's parameters: a frozen dataclass of named arrays."""
IN_COMMON = -1
"""In place of a block (:meth:`Part.blocks`): of a number that all sessions may read."""


class Part(Protocol[Params]):
    """A dynamics or a choice: a small frozen dataclass of settings. Its methods take parameters and return new ones."""

    @property
    def exact(self) -> bool:
        """Whether ``update`` raises the expected log-likelihood plus ``log_prior`` as far as it can, or at least never
        lowers it, so that EM can only climb."""
        ...

    @property
    def pooled(self) -> bool:
        """Whether rows are held together by a learned prior: nobody can say how many of them are free."""
        ...

    def check(self, data: Trajectories, n_intentions: int) -> None:
        """Raise a named error if this part cannot work on these data."""
        ...

    def knowing(self, coding: Coding) -> Self:
        """This part with the names of contexts and subjects it is, or was, fitted to: any data are matched to them."""
        ...

    def bind(self, data: Trajectories) -> Any:
        """The rows that the sessions and steps of these data read; found once, while the tables change."""
        ...

    @property
    def reads(self) -> Reads:
        """What the row of a step depends on, besides what was done in it (:mod:`hiql.parts.reads`); None: anything.

        Parts that say so are followed by compiled code in a running experiment; any other part is asked at each step.
        """
        ...

    def start(self, data: Trajectories, n_intentions: int, rng: np.random.Generator) -> Params:
        """Random parameters to start from."""
        ...

    def update(self, params: Params, evidence: Any) -> Params:
        """The M-step: the parameters that best explain what was counted, and the prior."""
        ...

    def log_prior(self, params: Params) -> float:
        """What ``update`` maximises besides the expected log-likelihood, up to a constant."""
        ...

    def worth(self, params: Params, statistics: Any) -> float:
        """What the objective of a climb has besides the log-likelihood at ``params``, where ``statistics`` come from.

        The logarithm of the prior; or, for posteriors, what makes it a lower bound of the evidence given the prior that
        is frozen in this climb.
        """
        ...

    def evidence(self, params: Params, statistics: Any, data: Trajectories) -> float:
        """The same with nothing frozen: with the log-likelihood a lower bound of log p(data)."""
        ...

    def estimating(self, estimate: str) -> Self:
        """This part fitted in another way (:mod:`hiql.priors.estimates`); a named error if it cannot be."""
        ...

    @property
    def is_posterior(self) -> bool:
        """Whether ``update`` gives what a posterior says to the smoother, not parameters."""
        ...

    def conjugate(self, params: Params) -> Any:
        """The pseudo-counts, if ``update`` is nothing but shares of counts and these; else None."""
        ...

    def learned(self, params: Params, statistics: Any, data: Trajectories) -> Params:
        """The parameters with the prior that these counts teach; ``params`` itself if there is nothing (more) to learn.

        A prior is frozen while EM climbs, and learned between two climbs.
        """
        ...

    def held(self, params: Params, factor: float, statistics: Any, data: Trajectories) -> Params:
        """The parameters with subjects held together ``factor`` times as strongly; ``params`` itself if none are."""
        ...

    def drawn(self, params: Params, path: Path, rng: np.random.Generator) -> Params | None:
        """Parameters drawn from p(parameters | path), or a step of a Markov chain from ``params`` that keeps to it.

        It is asked for intervals (:mod:`hiql.engine.sampling`). None if nobody worked it out: then there are none.
        """
        ...

    def common(self, data: Trajectories) -> Any:
        """The part of the same kind in which all subjects are alike, where this one's optimum is looked for; None if
        they are."""
        ...

    def around_common(self, params: Any, data: Trajectories) -> Params:
        """Parameters at which every subject does what ``params`` of the common part say."""
        ...

    def coarser(self, data: Trajectories) -> Any:
        """A part of the same kind with fewer rows, from whose optimum a second climb begins; None if there is none."""
        ...

    def refined(self, params: Any, data: Trajectories) -> Params:
        """Parameters at which this part's rows do what those of the coarser part do."""
        ...

    def notes(self, params: Params, data: Trajectories) -> tuple[str, ...]:
        """What the user should know of these parameters, and of the data they were found in, in sentences."""
        ...

    def permute(self, params: Params, order: Order) -> Params:
        """The same with intention ``order[i]`` called i."""
        ...

    def vector(self, params: Params) -> FloatArray:
        """(n,) the parameters as numbers without constraints, for jumps."""
        ...

    def from_vector(self, vector: FloatArray, like: Params) -> Params:
        """Parameters of the shapes of ``like`` from any vector: the inverse of ``vector``."""
        ...

    def gradient(self, params: Params, statistics: Any) -> FloatArray | None:
        """(n,) the slope of log-likelihood plus log-prior along ``vector``, from statistics at these parameters.

        By Fisher's identity it is that of the expected log-likelihood of what is not seen. None if nobody worked it
        out: then there are no standard errors.
        """
        ...

    def blocks(self, params: Params, data: Trajectories) -> npt.NDArray[np.intp] | None:
        """(n,) which block each number of ``vector`` is in; ``IN_COMMON``: in none, all sessions may read it.

        Blocks are read by different sessions, and their priors meet in what is common only. None if all is one block.
        """
        ...

    def summary(self, params: Params) -> dict[str, FloatArray]:
        """What a fitted model shows of this part: the names of its attributes, without the underscore, and values."""
        ...

    def check_params(self, params: Params, data: Trajectories, n_intentions: int) -> None:
        """Raise a named error unless these could come from this part: files come from others, kernels check nothing."""
        ...


class NothingToLearn:
    """What parts have in common whose prior is given, that know codes and single sessions only, and do not plan."""

    @property
    def world(self) -> Any:
        return None

    log_prior: Any

    @property
    def reads(self) -> Reads:
        return None

    @property
    def pooled(self) -> bool:
        return False

    def knowing(self, coding: Coding) -> Self:  # noqa: ARG002
        return self

    def learned(self, params: Any, statistics: Any, data: Trajectories) -> Any:  # noqa: ARG002
        return params

    def held(self, params: Any, factor: float, statistics: Any, data: Trajectories) -> Any:  # noqa: ARG002
        return params

    def drawn(self, params: Any, path: Path, rng: np.random.Generator) -> Any:  # noqa: ARG002
        return None

    @property
    def is_posterior(self) -> bool:
        return False

    def estimating(self, estimate: str) -> Self:
        if estimate != "mode":
            remedy = (
                f"{type(self).__name__} has no posterior: choose estimate='mode', or tables, regressions and chains"
            )
            raise InvalidParameter(parameter="estimate", value=estimate, remedy=remedy)
        return self

    def worth(self, params: Any, statistics: Any) -> float:  # noqa: ARG002
        return float(self.log_prior(params))

    def evidence(self, params: Any, statistics: Any, data: Trajectories) -> float:  # noqa: ARG002
        return self.worth(params, statistics)

    def common(self, data: Trajectories) -> Any:  # noqa: ARG002
        return None

    def around_common(self, params: Any, data: Trajectories) -> Any:  # noqa: ARG002
        return params

    def coarser(self, data: Trajectories) -> Any:  # noqa: ARG002
        return None

    def refined(self, params: Any, data: Trajectories) -> Any:  # noqa: ARG002
        return params

    def notes(self, params: Any, data: Trajectories) -> tuple[str, ...]:  # noqa: ARG002
        return ()

    def gradient(self, params: Any, statistics: Any) -> FloatArray | None:  # noqa: ARG002
        return None

    def blocks(self, params: Any, data: Trajectories) -> npt.NDArray[np.intp] | None:  # noqa: ARG002
        return None

    def units(self, data: Trajectories) -> npt.NDArray[np.integer[Any]]:
        return data.unit_of_session
