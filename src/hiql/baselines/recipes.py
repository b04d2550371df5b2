"""The systems of the related work, each as a pair of parts: one registry for the experiment, the tests and the docs.

A recipe says whose system it is, which clock, choice and prior stand for it here, and what differs from the original.
Where the original samples (Markov chain Monte Carlo over partitions, rewards or both), EM to the mode stands in its
place, and a Dirichlet process is a symmetric Dirichlet prior over a fixed number of intentions, twice as many as were
asked for, with α/K pseudo-counts: the weak limit. Intentions that are not needed may stay empty. The mode of that prior
is taken with α/K + 1, so it prunes less than the process itself.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from hiql.baselines.dirl import DIRL
from hiql.baselines.simple import CountPolicy, RandomPolicy
from hiql.choices.goals import Goals
from hiql.choices.planned import Planned
from hiql.choices.planned_with_memory import PlannedWithMemory
from hiql.dynamics import ByState, Independent, InputDriven, SessionWise, StickyChain
from hiql.dynamics.chain import IntentionDynamics
from hiql.errors import InvalidParameter
from hiql.models import GLMHMM, HIAVI, HIQL, IntentionModel
from hiql.models.scoring import Scored
from hiql.parts.part import FloatArray
from hiql.rewards import GIRL
from hiql.worlds.mdp import MDP

CONCENTRATION = 1.0
"""α of every Dirichlet process."""
DRIFTING: Any = {"max_iter": 100, "tol": 1e-5}
"""DIRL plans for every time in the session: it is the slowest of all."""


class Setting(NamedTuple):
    """What a system is given: K, the world if it is known, features (S, F) of its states, starts, passes and a seed."""

    n_intentions: int = 2
    world: MDP | None = None
    features: FloatArray | None = None
    n_init: int = 4
    max_iter: int = 200
    random_state: int = 0


@dataclass(frozen=True)
class Recipe:
    """A system: whose it is, what stands for it here, and how that is made.

    ``needs`` names what it cannot do without: "world", "inputs". ``home`` is the world of ``hiql reproduce related``
    that was made for it. ``most`` intentions for each that is asked for are allowed (2 for a Dirichlet process).
    """

    name: str
    authors: str
    year: int
    title: str
    venue: str
    clock: str
    choice: str
    prior: str
    differs: str
    home: str
    make: Callable[[Setting], Any]
    needs: str = "world"
    most: int = 1

    def model(self, setting: Setting) -> Scored:
        """The system, ready to be fitted."""
        if self.needs == "world" and setting.world is None:
            raise InvalidParameter(
                parameter="world", value=None, remedy=f"{self.name} plans in a known world: give one"
            )
        model: Scored = self.make(setting)
        return model

    @property
    def reference(self) -> str:
        """The paper, in one line."""
        return f"{self.authors} ({self.year}), *{self.title}*, {self.venue}" if self.authors else "–"


def _pair(
    setting: Setting, choice: Any, dynamics: str | IntentionDynamics, most: int = 1, reward: Any = None
) -> IntentionModel:
    """EM from some random starts. Plans are costly: nothing is disturbed afterwards."""
    search: Any = {
        "n_init": setting.n_init,
        "patience": 0,
        "max_iter": setting.max_iter,
        "tol": 1e-6,
        "progress": False,
    }
    search |= {"choice": choice, "reward": reward, "dynamics": dynamics, "random_state": setting.random_state}
    return IntentionModel(most * setting.n_intentions, **search)


def _world(setting: Setting) -> MDP:
    assert setting.world is not None  # Recipe.model has made sure
    return setting.world


def _planned(setting: Setting, planner: str = "soft", **options: Any) -> Planned:
    return Planned(mdp=_world(setting), features=setting.features, planner=planner, **options)


def _remembering(setting: Setting) -> PlannedWithMemory:
    return PlannedWithMemory(mdp=_world(setting), features=setting.features)


def _process(setting: Setting) -> float:
    """α/K of the weak limit."""
    return CONCENTRATION / (2 * setting.n_intentions)


def _goals(setting: Setting) -> Goals:
    return Goals(mdp=_world(setting))


def _named(kind: Any, setting: Setting, **options: Any) -> Any:
    return kind(
        setting.n_intentions, n_init=setting.n_init, random_state=setting.random_state, progress=False, **options
    )


def _neural(setting: Setting) -> IntentionModel:
    """Without features it is the states themselves that the network knows."""
    return _pair(setting, _planned(setting, hidden=(8,)), SessionWise(_process(setting)), most=2)


def _gated(setting: Setting) -> Any:
    gate = InputDriven(origin="nothing")
    if setting.world is None:
        return _named(HIQL, setting, dynamics=gate)
    return _named(HIAVI, setting, mdp=setting.world, dynamics=gate)


def _pooled(setting: Setting) -> Any:
    if setting.world is None:
        return _named(GLMHMM, setting, pool="subjects")
    return _named(HIAVI, setting, mdp=setting.world, dynamics=ByState(context="state entered"), pool="subjects")


WEAK_LIMIT = "Dirichlet process (weak limit)"
RIDGE = "normal on coefficients"
TABLE = "table: counts, read as rewards by IAVI"

_ALL = (
    Recipe(
        "chance", "", 0, "", "", "–", "uniform", "–", "–", "",
        lambda _: RandomPolicy(), needs="",
    ),
    Recipe(
        "counting", "", 0, "", "", "–", "table: counts", "pseudo-count", "–", "",
        lambda _: CountPolicy(), needs="",
    ),
    Recipe(
        "MaxEnt IRL",
        "Ziebart, Maas, Bagnell & Dey", 2008, "Maximum entropy inverse reinforcement learning", "AAAI",
        "one intention", "planned, soft", RIDGE,
        "Maximum *causal* entropy (Ziebart 2010), which is right also where moves are left to chance.",
        "one reward", lambda s: _pair(s._replace(n_intentions=1), _planned(s), "markov"),
    ),
    Recipe(
        "DIRL",
        "Ashwood, Jha & Pillow", 2022, "Dynamic inverse reinforcement learning for characterizing animal behavior",
        "NeurIPS",
        "weights that drift with the time in the session", "planned, soft", "random walk on weights",
        "Maps and weights are climbed together by exact gradients from one start; σ is 0.25, not chosen by validation.",
        "drift", lambda s: DIRL(s.n_intentions, mdp=_world(s), **DRIFTING, random_state=s.random_state),
    ),
    Recipe(
        "EM-MLIRL",
        "Babes, Marivate, Subramanian & Littman", 2011, "Apprenticeship learning about multiple intentions", "ICML",
        "one intention a session", "planned, Boltzmann", RIDGE,
        "M-steps climb by L-BFGS and exact gradients, not for a fixed number of gradient steps; a weak normal prior.",
        "clusters", lambda s: _pair(s, _planned(s, "boltzmann"), "session-wise"),
    ),
    Recipe(
        "DPM-BIRL",
        "Choi & Kim", 2012, "Nonparametric Bayesian inverse reinforcement learning for multiple reward functions",
        "NeurIPS",
        "one intention a session", "planned, Boltzmann", f"{WEAK_LIMIT} over sessions; {RIDGE}",
        "The mode of a weak limit, found by EM, in place of Metropolis–Hastings over partitions and rewards.",
        "clusters",
        lambda s: _pair(s, _planned(s, "boltzmann"), SessionWise(_process(s)), most=2), most=2,
    ),
    Recipe(
        "MRP/MPO",
        "Dimitrakakis & Rothkopf", 2012, "Bayesian multitask inverse reinforcement learning",
        "EWRL 2011 (LNCS 7188)",
        "one intention a session", "planned, soft", "normal around a common reward, which is learned",
        "Sessions share K rewards around a population's in place of one for each; the mode in place of sampling.",
        "clusters", lambda s: _pair(s, _planned(s, around="common"), "session-wise"),
    ),
    Recipe(
        "BN-IRL",
        "Michini & How", 2012, "Bayesian nonparametric inverse reinforcement learning", "ECML PKDD",
        "each step drawn anew", "goals, Boltzmann", f"{WEAK_LIMIT} over steps",
        "EM that tries every state as a goal in place of Gibbs sampling; the confidence is learned, from four values.",
        "subgoals", lambda s: _pair(s, _goals(s), Independent(_process(s)), most=2), most=2,
    ),
    Recipe(
        "BNP-IRL",
        "Surana & Srivastava", 2014,
        "Bayesian nonparametric inverse reinforcement learning for switched Markov decision processes", "ICMLA",
        "sticky Markov chain", "planned, Boltzmann", f"{WEAK_LIMIT} of a sticky HDP; {RIDGE}",
        "The mode of a weak limit, found by EM, in place of sampling; rows of the chain share no base measure.",
        "features", lambda s: _pair(s, _planned(s, "boltzmann"), StickyChain(_process(s)), most=2), most=2,
    ),
    Recipe(
        "G-EM-MLIRL",
        "Nguyen, Low & Jaillet", 2015, "Inverse reinforcement learning with locally consistent reward functions",
        "NeurIPS",
        "by state", "planned, linearly solvable", f"rows of the clock around a common one; {RIDGE}",
        "Transitions by state are pooled with learned strengths; a discount where the original has a horizon.",
        "on leaving", lambda s: _pair(s, _planned(s, "linearly-solvable"), "by-state"),
    ),
    Recipe(
        "SWIRL",
        "Ke, Wu, Wang, Markowitz & Wu", 2025,
        "Inverse reinforcement learning with switching rewards and history dependency for characterizing animal "
        "behaviors", "ICML",
        "by state", "planned, soft", f"rows of the clock around a common one; {RIDGE}",
        "Switching by a table for each state, and rewards of the state (their S-1 variant), not by neural networks.",
        "on leaving", lambda s: _pair(s, _planned(s), "by-state"),
    ),
    Recipe(
        "SWIRL, S-2",
        "Ke, Wu, Wang, Markowitz & Wu", 2025,
        "Inverse reinforcement learning with switching rewards and history dependency for characterizing animal "
        "behaviors", "ICML",
        "by state", "planned, soft, for rewards of the state and the one before",
        f"rows of the clock around a common one; {RIDGE}",
        "As above; what the state before adds to a reward is held to zero.",
        "came from", lambda s: _pair(s, _remembering(s), "by-state"),
    ),
    Recipe(
        "SEM/MCEM-MIIRL",
        "Bighashdel, Meletis, Jancura & Dubbelman", 2021,
        "Deep adaptive multi-intention inverse reinforcement learning", "ECML PKDD",
        "one intention a session", "planned, soft, for rewards by a neural network",
        f"{WEAK_LIMIT} over sessions; normal on weights",
        "Eight hidden units; EM, as in their SEM, without sampling, and exact gradients through the plan.",
        "not linear", _neural, most=2,
    ),
    Recipe(
        "MI-ΣGIRL",
        "Likmeta, Metelli, Ramponi, Tirinzoni, Giuliani & Restelli", 2021,
        "Dealing with multiple experts and non-stationarity in inverse reinforcement learning: an application to "
        "real-life problems", "Machine Learning 110",
        "one intention a session", "table: counts, read as rewards by GIRL", "pseudo-count",
        "Sessions are clustered by their actions, not by their gradients, which are exact here and not weighed by Σ.",
        "experts",
        lambda s: _named(
            IntentionModel, s, dynamics="session-wise", reward=GIRL(mdp=_world(s), features=s.features)
        ),
    ),
    Recipe(
        "GLM-HMM",
        "Ashwood, Roy, Stone et al.", 2022,
        "Mice alternate between discrete strategies during perceptual decision-making", "Nature Neuroscience",
        "Markov chain", "linear in the inputs", "normal on weights, learned",
        "Any number of actions, and precisions learned for each input.",
        "psychophysics", lambda s: _named(GLMHMM, s), needs="inputs",
    ),
    Recipe(
        "PRISM",
        "Sheng, Zhu & Boedecker", 2026, "Probabilistic recurrent intention switching model", "arXiv:2605.26998",
        "a gate on the inputs, blind to the last intention", "table: counts, read as rewards by IAVI or IQL",
        "pseudo-count; normal on the gate's weights, learned",
        "The gate is linear in the inputs, which may be leaky memories; the original learns a recurrent network.",
        "gate", _gated, needs="inputs",
    ),
    Recipe(
        "HIQL",
        "Zhu, De La Crompe, Kalweit, Schneider, Kalweit, Diester & Boedecker", 2024,
        "Multi-intention inverse Q-learning for interpretable behavior representation", "TMLR",
        "Markov chain", "table: counts, read as rewards by IQL", "pseudo-count",
        "Exact EM with a search, and the fixed point of inverse Q-learning, in place of sampling.",
        "habits", lambda s: _named(HIQL, s), needs="",
    ),
    Recipe(
        "HIAVI",
        "Zhu, De La Crompe, Kalweit, Schneider, Kalweit, Diester & Boedecker", 2024,
        "Multi-intention inverse Q-learning for interpretable behavior representation", "TMLR",
        "Markov chain", TABLE, "pseudo-count",
        "Exact EM with a search, and IAVI in closed form, in place of sampling and iteration.",
        "habits", lambda s: _named(HIAVI, s, mdp=s.world),
    ),
    Recipe(
        "HIAVI by state", "", 0, "", "",
        "by state (the one entered)", TABLE, "pseudo-count; rows of the clock around a common one",
        "This package: HIAVI with the clock that the places call for.",
        "places", lambda s: _named(HIAVI, s, mdp=s.world, dynamics=ByState(context="state entered")),
    ),
    Recipe(
        "animals pooled", "", 0, "", "",
        "by state (the one entered)", TABLE, "as above; animals around their population, with learned strengths",
        "This package: animals differ. Where no world is known it is a GLM-HMM of animals, whose inputs are memories.",
        "bandit", _pooled, needs="",
    ),
)  # fmt: skip
RECIPES: dict[str, Recipe] = {recipe.name: recipe for recipe in _ALL}
"""Every system, by name, in the order of tables."""
