#!/usr/bin/python3
"""costs.py FIGURES FOLDER: what training costs against rows, features, classes and groups, as tables and as charts.

In the database that PGHOST and the rest lead to, on generated rows. Each figure is the processor time of one process, the
least of several turns, over a cached table. The trainings are those of summary.py: ten epochs of asgd_train with no options,
and one streaming pass with hinge loss. FOLDER gets the charts, which sparselin_chart() draws; FIGURES what has a goal, for
bench/check, as summary.py says.
"""
import json
import math
import os
import sys
import tempfile
import time

import numpy as np

import speed
import summary

ROWS = [1000, 3000, 10_000, 30_000, 100_000, 300_000, 1_000_000]
RANGES = [10**4, 10**5, 10**6, 10**7, 10**8]
CLASSES = [2, 3, 5, 10, 20, 50, 100]
GROUPS = [1, 10, 100, 1000, 5000, 20_000]
SCAN = "SELECT sum(sparsearray_nnz(features)) FROM speed_rows"
TURNS = 7  # where little is measured
EPOCHS = {"ten epochs": 10, "streaming": 1}


def show(title, columns, lines):
    cells = [columns] + [[f"{cell:,}" if isinstance(cell, int) else f"{cell:.2f}" for cell in line] for line in lines]
    widths = [max(map(len, column)) for column in zip(*cells)]
    print(f"\n{title}")
    for line in cells:
        print("   ".join(cell.rjust(width) for cell, width in zip(line, widths)), flush=True)


def show_trainings(title, x_columns, by_name, unit, in_unit):
    """Both trainings in ms, and in the unit. x_columns: a dict for each, by what the first is."""
    columns = [*x_columns] + [head for name in by_name for head in (f"{name}, ms", unit)]
    show(title, columns, [[column[x] for column in x_columns.values()]
                          + [cell for name in by_name for cell in (1000 * by_name[name][x], in_unit[name][x])]
                          for x in next(iter(x_columns.values()))])


def same(numbers):
    return {number: number for number in numbers}


def quoted(text):
    return "'" + text.replace("'", "''") + "'"


def draw(path, title, axes, about, measured, goals=(), logarithmic="x"):
    """What was measured, the second curve dashed, and larger dots for goals."""
    curves = [[[x, float(f"{y:.4g}")] for x, y in curve.items()] for curve in measured]
    series = [{"kind": kind, "points": points} for kind, points in zip(["line", "reference"], curves)]
    series += [{"kind": "dots", "points": points} for points in curves]
    series += [{"kind": "mark", "points": goals}]
    highest = max(y for one in series for _, y in one["points"])
    y_range = f"{{{1 if 'y' in logarithmic else 0},{math.ceil(2.1 * highest) / 2}}}"
    texts = ", ".join(map(quoted, [title, *axes, json.dumps(series), about]))
    session = speed.Session()
    chart = session.run(f"SELECT sparselin_chart({texts}, NULL, {quoted(y_range)}, {quoted(logarithmic)})")
    session.end()
    with open(path, "w") as file:
        file.write("\n".join(chart) + "\n")


def against_rows(scratch, folder):
    X, y = speed.generated(ROWS[-1], 47_000, True)
    seconds = {name: {} for name in EPOCHS}
    ns = {name: {} for name in EPOCHS}
    features, scan = {}, {}
    for rows in ROWS:
        some = X[:rows]
        turns = max(3, min(20, 300_000 // rows))
        best = summary.on_rows(scratch, some, y[:rows], lambda session: summary.least(
            summary.trainings(session) | {"scan": lambda: session.seconds(SCAN)}, turns))
        scan[rows] = best["scan"] * 1e9 / some.nnz
        features[rows] = int(np.count_nonzero(np.bincount(some.indices)))
        for name, epochs in EPOCHS.items():
            seconds[name][rows] = best[name]
            ns[name][rows] = best[name] * 1e9 / some.nnz / epochs
    show_trainings(
        f"rows of {X.nnz / X.shape[0]:.1f} non-zeros over 47,000 features, as words in texts; ns are a non-zero's",
        {"rows": same(ROWS), "features in use": features, "scan, ns": scan}, seconds, "ns a pass", ns)
    draw(os.path.join(folder, "cost_rows.svg"), "Cost by rows: ten epochs, one pass (dashed)",
         ["rows", "ns a non-zero and pass"], "Processor time by non-zeros of the rows and passes over them.", ns.values(),
         logarithmic="xy")


def against_features(scratch, folder, results):
    nonzeros, seconds = summary.of_dimensions(scratch, RANGES, TURNS, scattered=True)
    ratio = {name: {x: y / by_range[RANGES[0]] for x, y in by_range.items()} for name, by_range in seconds.items()}
    show_trainings(
        f"features: 50,000 rows of {nonzeros / 50_000:.1f} non-zeros, 10,000 features in use, anywhere among so many",
        {"features": same(RANGES)}, seconds, "by 10^4", ratio)
    goals = dict(zip(EPOCHS, [1.1, 2]))
    draw(os.path.join(folder, "cost_features.svg"), "Cost by features: ten epochs, one pass (dashed)",
         ["features, 10,000 in use; orange: goals", "times the cost of 10k features"],
         "Processor time by that of the same rows where the 10,000 features lie side by side.", ratio.values(),
         [[RANGES[-1], goal] for goal in goals.values()])
    for name, goal in goals.items():
        results.append((f"10^8 features, scattered / 10^4, {name}", ratio[name][RANGES[-1]], "at most", goal))


def against_classes(scratch, folder, results):
    best = summary.on_rows(scratch, *speed.generated(20_000, 20_000, True), lambda session: summary.least(
        summary.of_classes(session, CLASSES), TURNS))
    calls = {count: best[count] / best["binary"] for count in CLASSES}
    show("classes: 20,000 rows, as above over 20,000 features, ten epochs; a binary call takes"
         f" {1000 * best['binary']:.2f} ms", ["classes", "ms", "binary calls"],
         [[count, 1000 * best[count], calls[count]] for count in CLASSES])
    draw(os.path.join(folder, "cost_classes.svg"), "Cost by classes: ten epochs",
         ["classes; orange: goal", "binary calls"], "Processor time by that of a call with two classes.", [calls],
         [[20, 7]], "xy")
    results.append(("20 classes / binary call", calls[20], "at most", 7))


def against_groups(folder, results):
    seconds = summary.of_groups(GROUPS, TURNS)
    calls = {name: {count: best[count] / best["one"] for count in GROUPS} for name, best in seconds.items()}
    show_trainings("groups of a million rows, 10 non-zeros each, 160 features; one call takes "
                   + ", ".join(f"{1000 * best['one']:.0f} ms ({name})" for name, best in seconds.items()),
                   {"groups": same(GROUPS)}, seconds, "calls", calls)
    draw(os.path.join(folder, "cost_groups.svg"), "Cost by groups: ten epochs, one pass (dashed)",
         ["groups of a million rows; orange: goal", "calls over all rows"],
         "Processor time by that of one call over the same rows.", calls.values(), [[20_000, 3]])
    results.append(("20,000 groups of 50 rows / one call, ten epochs", calls["ten epochs"][20_000], "at most", 3))


def main(figures, folder):
    start = time.monotonic()
    results = []
    with tempfile.TemporaryDirectory(prefix="sparselin.costs.") as scratch:
        against_rows(scratch, folder)
        against_features(scratch, folder, results)
        against_classes(scratch, folder, results)
    against_groups(folder, results)
    print("\ngoals")
    table = summary.Table(figures)
    for result in results:
        table.add(*result)
    print(f"{(time.monotonic() - start) / 60:.1f} minutes")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
