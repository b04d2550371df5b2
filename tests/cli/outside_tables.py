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


ROOMS = ["n", "ne", "e", "se", "s", "sw", "w", "nw"]
PORTS = {"n", "se"}


def maze(rng):
    """A rat that runs round and round, one way or the other, and may turn where it arrives at one of two ports.

    What it does in a room tells its mind there, in all rooms: dead ends, with one way out, would not.
    """
    for session in range(30):
        room, drive = rng.randrange(8), rng.randrange(2)
        for step in range(100):
            forward = rng.random() < (0.92 if drive == 0 else 0.08)
            likely = [0.92, 0.08] if forward else [0.08, 0.92]
            row = {"session": session, "step": step, "state": ROOMS[room], "action": "clockwise" if forward else "back"}
            room = (room + (1 if forward else -1)) % 8
            stay = 0.5 if ROOMS[room] in PORTS else 0.995
            yield row, drive, likely, [stay, stay]
            drive = 1 - drive if rng.random() > stay else drive


def people(rng):
    """Twenty people on a two-step task, who each follow rewards, and repeat themselves, more or less; always the same.

    They credit the side that they chose, whatever the transition: that column says nothing about them.
    """
    for person in range(20):
        follows, repeats = rng.gauss(2.5, 2.0), rng.gauss(0.5, 0.8)
        value, last = [0.0, 0.0], 0.0
        likely = [rng.uniform(0.25, 0.75) for _ in range(2)]
        for trial in range(150):
            side = int(rng.random() < logistic(follows * (value[1] - value[0]) + repeats * last))
            common = rng.random() < 0.7
            stage = side if common else 1 - side
            likely = [min(0.75, max(0.25, p + rng.gauss(0, 0.03))) for p in likely]
            won = int(rng.random() < likely[stage])
            row = {"subject": f"p{person:02d}", "trial": trial, "choice": ("left", "right")[side]}
            row |= {"transition": ("rare", "common")[common], "reward": won}
            yield row, 0, [1.0], [1.0]
            value = [0.6 * v + (0.6 * won if i == side else 0.0) for i, v in enumerate(value)]
            last = 1.0 if side else -1.0


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
