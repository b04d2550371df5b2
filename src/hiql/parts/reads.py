"""What the row of a step may depend on, by name: whoever takes one step at a time can then number the rows ahead."""

from __future__ import annotations

STATE_LEFT, STATE_ENTERED = "state left", "state entered"
LAST_ACTION, LAST_OUTCOME = "last action", "last outcome"
SUBJECT = "subject"
"""The state of the step before, and that of the step itself; what was done in the step before, and what followed; whose
session it is."""
Reads = tuple[str, ...] | None
"""Some of these, or names of contexts; None: anything, such as inputs."""
