"""Somebody else's script: it knows nothing of hiql, and writes a table as labs do.

Mice run around a ring of six arms, for some time clockwise, for some time the other way. The table has text labels,
gaps, rows in no particular order, and a column that hiql does not need.
"""

import csv
import random
import sys

ARMS = ["north", "north-east", "south-east", "south", "south-west", "north-west"]


def run_session(mouse, day, rng):
    arm, mood = rng.randrange(6), rng.randrange(2)
    for number in range(rng.randint(40, 60)):
        forward = (rng.random() < 0.9) == (mood == 0)
        turn = "clockwise" if forward else "back"
        seen = rng.random() > 0.02
        yield {
            "animal": mouse,
            "session": f"day {day}",
            "step": number,
            "state": ARMS[arm] if seen else "",
            "action": turn if rng.random() > 0.02 else "",
            "temperature": round(20 + rng.random(), 1),
            "mood": mood,
        }
        arm = (arm + (1 if forward else -1)) % 6
        mood = 1 - mood if rng.random() < 0.05 else mood


def main(path, seed):
    rng = random.Random(seed)
    rows = [row for mouse in ("Ada", "Bea") for day in range(1, 16) for row in run_session(mouse, day, rng)]
    rng.shuffle(rows)
    with open(path, "w", newline="", encoding="utf-8-sig") as file:
        table = csv.DictWriter(file, list(rows[0]), delimiter=";")
        table.writeheader()
        table.writerows(rows)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
