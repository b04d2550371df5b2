"""The claims of §5.2 and Appendix C.2, judged: about scores, then about the two intentions of each cohort."""

from __future__ import annotations

import numpy as np

from hiql.evaluate.measures.courses import mean_course
from hiql.evaluate.measures.occupancy import expected_occupancy
from hiql.experiments.labyrinth.compute import CohortResult, LabyrinthResult
from hiql.experiments.labyrinth.score_verdicts import score_verdicts
from hiql.experiments.labyrinth.walks import greedy_walk, shortest_path
from hiql.experiments.verdicts import Verdict, not_judged
from hiql.worlds.labyrinth import HOME, WATER
from hiql.worlds.planning import state_occupancy

WHERE = {"restricted": "§5.2, Figure 5", "unrestricted": "§5.2, Figure 6"}
EXPECTED = {"restricted": {"to home", "to water"}, "unrestricted": {"to home", "elsewhere"}}
OTHER = {"restricted": "thirsty", "unrestricted": "exploring"}
STABLE, UNTIL_THE_END = 0.5, 0.95
"""Bars for words: a "stable" intention stays likelier than not; one kept "until the end" hardly ever leaves."""


def verdicts(result: LabyrinthResult) -> list[Verdict]:
    """All claims about both cohorts."""
    judged = [verdict for cohort, part in result.cohorts.items() for verdict in _cohort(cohort, part)]
    steps = "The win over DIRL shows that intentions change in steps, not smoothly"
    return [*judged, not_judged("§5.2", steps, because="HIAVI sees the session's past, DIRL only the time")]


def _cohort(cohort: str, part: CohortResult) -> list[Verdict]:
    where = WHERE[cohort]
    scores = score_verdicts(cohort, part, where)
    claim = f'The two intentions are "tired" and "{OTHER[cohort]}"'
    found = ", ".join(f'"{name}"' for name in part.names)
    named = set(part.names) == EXPECTED[cohort]
    names = Verdict(where + "c", claim, found, f"lead {_or(EXPECTED[cohort])}", "yes", named)
    if not named:
        return [*scores, names]
    more = _thirsty if cohort == "restricted" else _exploring
    home = part.names.index("to home")
    return [*scores, names, *_tired(part, home, where), *more(part, 1 - home, home, where)]


def _or(names: set[str]) -> str:
    return " and ".join(f'"{name}"' for name in sorted(names, reverse=True))


def _tired(part: CohortResult, home: int, where: str) -> list[Verdict]:
    """The intention to go home, and how it takes over, in either cohort."""
    walk = greedy_walk(part.maze.mdp, part.model.policy_[home], WATER)
    course = mean_course(part.maze.data, part.model.smooth_proba(part.maze.data)).mean[:, home]
    taken_over = bool(course[0] < 0.5 < course[-1])
    numbers = f"P(tired) {course[0]:.2f} at first, {course[len(course) // 2]:.2f} midway, {course[-1]:.2f} at last"
    claim = f'"{OTHER[part.cohort]}" dominates at the beginning of a trial and is surpassed by "tired"'
    path, ends = shortest_path(WATER, HOME), '"tired" leads from the water port to the entrance and stays there'
    return [
        Verdict(where + "c", ends, _path(walk), "the shortest path", "yes", walk == path),
        Verdict(where + "d", claim, numbers, "below ½ at first, above at last", "yes", taken_over),
    ]


def _thirsty(part: CohortResult, water: int, home: int, where: str) -> list[Verdict]:
    walk = greedy_walk(part.maze.mdp, part.model.policy_[water], HOME)
    stay = part.model.transition_.diagonal()
    there, back = part.model.transition_[water, home], part.model.transition_[home, water]
    direct = '"thirsty" leads from the entrance directly to the water port along the optimal track'
    stable = f"thirsty {stay[water]:.3f}, tired {stay[home]:.3f}"
    likelier = f"{there:.3f} and {back:.3f}"
    return [
        Verdict(where + "c", direct, _path(walk), "the shortest path", "yes", walk == shortest_path(HOME, WATER)),
        _peak(part, home, "tired", HOME, "entrance", where),
        _peak(part, water, "thirsty", WATER, "water port", where),
        Verdict(where + "e", "Both intentions are stable", stable, "staying > ½", "yes", bool((stay > STABLE).all())),
        Verdict(
            where + "e", '"thirsty" → "tired" is likelier than the reverse', likelier, "first > second", "yes",
            bool(there > back),
        ),
    ]  # fmt: skip


def _peak(part: CohortResult, intention: int, name: str, place: int, called: str, where: str) -> Verdict:
    occupancy = expected_occupancy(part.model, part.maze.data)[intention]
    most, second = np.argsort(-occupancy)[:2]
    numbers = f"node {most} ({occupancy[most]:.2f}), then node {second} ({occupancy[second]:.2f})"
    claim = f'Under "{name}" the animal is most often at the {called}'
    return Verdict(where + "c", claim, numbers, f"node {place}", "yes", bool(most == place))


def _exploring(part: CohortResult, exploring: int, home: int, where: str) -> list[Verdict]:
    model = part.model
    at_home = [float(state_occupancy(part.maze.mdp, model.policy_[i], HOME, 14)[HOME]) for i in (exploring, home)]
    stay, leave = model.transition_[exploring, exploring], model.transition_[exploring, home]
    numbers = f"switching {leave:.3f}, staying {stay:.3f}"
    kept = model.transition_[home, home]
    return [
        Verdict(
            where + "c", '"exploring" lingers in the labyrinth',
            f"time at the entrance over 14 steps {at_home[0]:.2f}, tired {at_home[1]:.2f}",
            "less than half, and less than tired", "yes", at_home[0] < min(0.5, at_home[1]),
        ),
        Verdict(
            where + "e", '"exploring" has a larger probability of switching to "tired" than of staying', numbers,
            "switching > staying", "yes", bool(leave > stay),
        ),
        Verdict(
            where + "e", '"tired" is kept until the end of the trial', f"staying {kept:.3f}", "staying ≥ 0.95", "yes",
            bool(kept >= UNTIL_THE_END),
        ),
    ]  # fmt: skip


def _path(walk: list[int]) -> str:
    return " → ".join(map(str, walk))
