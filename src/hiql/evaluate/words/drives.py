"""Names of intentions that weigh inputs, after the one thing that drives them, where there is one."""

from __future__ import annotations

from hiql.evaluate.measures.effects import Effects

STRONG = 1.0
"""Log-odds from which something drives an intention: it moves a probability from 0.5 to 0.73."""
NOTHING = 0.3
"""An intention that all inputs and the bias together move by less than this guesses."""
SURELY = 1.5
"""What drives an intention outweighs all else together by this factor."""


def sure_drives(effects: Effects) -> list[str | None]:
    """ "follows stimulus", "bias to right" or "guesses" for each intention that is sure to; None for others.

    Judged by how far apart one standard deviation of an input, or the bias, moves the log-odds of actions.
    """
    names: list[str | None] = []
    for reach, size in zip(effects.reach, effects.by_action, strict=True):
        first = int(reach.argmax())
        sure = reach[first] >= max(STRONG, SURELY * (reach.sum() - reach[first]))
        if reach.sum() < NOTHING:
            names.append("guesses")
        elif not sure:
            names.append(None)
        elif first < len(effects.names):
            names.append(f"follows {effects.names[first]}")
        else:
            names.append(f"bias to {effects.actions[int(size[:, -1].argmax())]}")
    return names
