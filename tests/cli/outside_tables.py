"""Scripts of four labs that know nothing of hiql: tables of trials and of a maze, each with the truth beside it.

Run as ``python outside_tables.py KIND TABLE SEED``. The table has what a lab would have; TABLE.truth.csv has, row by
row, what drove the animal, how likely the action was under each drive, and how likely each drive was to stay, for an
oracle to decode with.
"""

import csv
import math
import random
import sys


def logistic(x):
    return 1 / (1 + math.exp(-x))


def chosen(rng, probabilities):
    """An index, drawn."""
    at = rng.random()
    for i, p in enumerate(probabilities):
        at -= p
        if at < 0:
            return i
    return len(probabilities) - 1


def bandit(rng):
    """An animal that at times learns from rewards, at times goes on with one side whatever comes."""
    for session in range(30):
        drive, better, last, won = rng.randrange(2), rng.randrange(2), rng.randrange(2), True
        for trial in range(100):
            better = 1 - better if trial % 25 == 24 else better
            learns = [0.0, 0.0]
            learns[last if won else 1 - last] = 0.93
            learns[1 - last if won else last] = 0.07
            repeats = [0.95 if side == last else 0.05 for side in (0, 1)]
            policies = [learns, repeats]
            side = chosen(rng, policies[drive])
            won = rng.random() < (0.8 if side == better else 0.2)
            row = {"session": session, "trial": trial, "choice": ("left", "right")[side], "reward": int(won)}
            yield row, drive, [policy[side] for policy in policies], [0.97, 0.97]
            last = side
            drive = 1 - drive if rng.random() < 0.03 else drive


def psychophysics(rng):
    """A mouse that watches the stimulus, or goes to one side, or to the other."""
    weights = [(4.0, 0.0), (0.6, 1.6), (0.5, -1.8)]
    stay = [0.98, 0.97, 0.97]
    for session in range(20):
        drive = chosen(rng, [0.6, 0.2, 0.2])
        for trial in range(150):
            contrast = rng.choice([-1.0, -0.5, -0.25, -0.125, 0.125, 0.25, 0.5, 1.0])
            right = [logistic(slope * contrast + bias) for slope, bias in weights]
            side = int(rng.random() < right[drive])
            row = {"session": session, "trial": trial, "stimulus": contrast, "choice": ("left", "right")[side]}
            row["correct"] = int((contrast > 0) == bool(side))
            yield row, drive, [p if side else 1 - p for p in right], stay
            if rng.random() > stay[drive]:
                drive = rng.choice([i for i in range(3) if i != drive])


DOORS = {
    "home": ["near"], "near": ["home", "l1", "r1"], "far": ["l3", "r3", "well"], "well": ["far"],
    "l1": ["near", "l2"], "l2": ["l1", "l3"], "l3": ["l2", "far"],
    "r1": ["near", "r2"], "r2": ["r1", "r3"], "r3": ["r2", "far"],
}  # fmt: skip
TO_GO = {"home": 6, "near": 5, "l1": 4, "r1": 4, "l2": 3, "r2": 3, "l3": 2, "r3": 2, "far": 1, "well": 0}
TO_WELL, TO_HOME = 0, 1


def maze(rng):
    """A rat that runs to the well or home by one of two corridors, and changes its mind at the junctions before both.

    It acts on its new mind at once. To leave a room and to enter the next are the same where there is one way to go, so
    a clock by the room left can say the same as one by the room entered.
    """

    def policy(room, drive):
        scores = [math.exp((-1.3 if drive == TO_WELL else 1.3) * TO_GO[door]) for door in DOORS[room]]
        return [score / sum(scores) for score in scores]

    for session in range(40):
        room, drive = rng.choice(["l1", "l3", "r1", "r3"]), rng.randrange(2)
        for step in range(75):
            policies = [policy(room, TO_WELL), policy(room, TO_HOME)]
            door = chosen(rng, policies[drive])
            row = {"session": session, "step": step, "state": room, "action": f"to {DOORS[room][door]}"}
            arrived = DOORS[room][door]
            stay = [0.5 if arrived == "far" else 0.99, 0.5 if arrived == "near" else 0.99]
            yield row, drive, [each[door] for each in policies], stay
            room = arrived
            drive = 1 - drive if rng.random() > stay[drive] else drive


def people(rng):
    """Twenty people on a two-step task, each with a way of its own that hardly ever changes."""
    for person in range(20):
        planner = rng.gauss(0.0, 1.0)
        repeats, value, last = rng.gauss(0.6, 0.5), [0.5, 0.5], None
        likely = [rng.uniform(0.25, 0.75) for _ in range(2)]
        for trial in range(150):
            pull = 3.0 * (value[1] - value[0]) + (0 if last is None else repeats * (1 if last else -1))
            side = int(rng.random() < logistic(pull))
            common = rng.random() < 0.7
            stage = side if common else 1 - side
            likely = [min(0.75, max(0.25, p + rng.gauss(0, 0.03))) for p in likely]
            won = int(rng.random() < likely[stage])
            row = {"subject": f"p{person:02d}", "trial": trial, "choice": ("left", "right")[side]}
            row |= {"transition": ("rare", "common")[common], "reward": won}
            yield row, 0, [1.0], [1.0]
            credited = stage if planner > 0 else side
            value[credited] += 0.5 * (won - value[credited])
            value[1 - credited] *= 0.9
            last = side


KINDS = {"bandit": bandit, "psychophysics": psychophysics, "maze": maze, "people": people}


def write(path, rows):
    with open(path, "w", newline="", encoding="utf-8") as file:
        table = csv.DictWriter(file, list(rows[0]))
        table.writeheader()
        table.writerows(rows)


def main(kind, path, seed):
    rows, truth = [], []
    for row, drive, likely, stay in KINDS[kind](random.Random(f"{kind} {seed}")):
        rows.append(row)
        like = {f"likely {i}": p for i, p in enumerate(likely)} | {f"stay {i}": p for i, p in enumerate(stay)}
        truth.append({"drive": drive} | like)
    write(path, rows)
    write(f"{path}.truth.csv", truth)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
