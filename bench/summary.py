#!/usr/bin/python3
"""summary.py SCRATCH FIGURES [DATA]: one table of what sparselin costs, as ratios, in at most 15 minutes.

In the database that PGHOST and the rest lead to. Beside what is measured stand the least that it could cost (S, scanning
the table; K, the bare loop over rows in memory; D, the bare dot products) and what a user would do instead: scikit-learn,
and LIBLINEAR where liblinear-train is there. Both sides of a ratio are measured in turns, the least of each counts, in
processor time unless the line says otherwise. FIGURES gets a line a figure for bench/check: name, value, "at most", "at
least" or "-", target. SCRATCH is what speed.py says it is.
"""
import os
import shutil
import subprocess
import sys
import time

import numpy as np
import scipy.sparse as sp
from sklearn.datasets import load_svmlight_file

import speed

ROUNDS = 3
STREAM = "'loss=hinge lambda=1e-5 epochs=1 sampling=sequential step_offset=0'"
TRAININGS = {"ten epochs": "", "streaming": ", " + STREAM}


class Table:
    def __init__(self, path):
        self.file = open(path, "w")

    def add(self, name, value, kind="-", target="-", parts=""):
        met = {"at most": lambda: value <= target, "at least": lambda: value >= target, "-": lambda: True}[kind]()
        wanted = "" if kind == "-" else f"{kind} {target}"
        print(f"{name:48} {value:8.2f}  {wanted:13} {'' if met else 'MISSED':7} {parts}".rstrip(), flush=True)
        self.file.write(f"{name}\t{value:.4f}\t{kind}\t{target}\n")
        self.file.flush()


def least(tasks, rounds=ROUNDS):
    """The least that each of the tasks says, which take turns."""
    best = dict.fromkeys(tasks, np.inf)
    for _ in range(rounds):
        for name, seconds in tasks.items():
            best[name] = min(best[name], seconds())
    return best


def parts_in_ns(best, nonzeros, *names):
    return "ns a non-zero: " + "  ".join(f"{name} {best[name] * 1e9 / nonzeros:.2f}" for name in names)


def show_set(table, name, X, best, targets):
    """targets: of stream, predict, ten epochs, scikit-learn / asgd, scikit-learn / casgd; None where there is none."""
    stream, predict, ten, faster, casgd_faster = targets
    S, K, D = best["scan"], best["loop"], best["dot"]

    def add(what, value, kind, target, *names):
        given = (kind, target) if target is not None else ("-", "-")
        table.add(f"{name}: {what}", value, *given, parts_in_ns(best, X.nnz, *names))

    if name in speed.GENERATED:
        add("stream / (S + K)", best["stream"] / (S + K), "at most", stream, "stream", "scan", "loop")
    else:
        add("(stream - 1 ms) / (S + K)", (best["stream"] - 1e-3) / (S + K), "at most", stream, "stream", "scan", "loop")
    add("predict / (S + D)", best["predict"] / (S + D), "at most", predict, "predict", "scan", "dot")
    add("ten epochs / (S + 10 K)", best["default"] / (S + 10 * best["log"]), "at most", ten, "default", "scan", "log")
    add("scikit-learn's fit / asgd", best["sklearn"] / best["default"], "at least", faster, "sklearn", "default")
    add("scikit-learn's fit / casgd", best["sklearn"] / best["casgd"], "at least", casgd_faster, "sklearn", "casgd")
    add("spilled / in memory", best["spilled"] / best["default"], "at most", 1.4, "spilled", "default")


SET_TARGETS = {
    "text_47k": (1.1, 1.0, 1.6, 2.2, 1.8),
    "hashed_16m": (2.5, 1.6, 1.8, 1.5, None),
    "a9a": (1.25, None, None, 2, None),
    "rt_polarity": (1.25, None, None, 2, None),
}


def sets(table, scratch, folder):
    for name, targets in SET_TARGETS.items():
        if name not in speed.GENERATED and not os.path.isdir(folder):
            print(f"{name}: skipped, no folder of data sets is given")
            continue
        X, y = speed.SETS[name](folder)
        show_set(table, name, X, speed.measure(scratch, name, X, y, ROUNDS, 2), targets)


def on_rows(scratch, X, y, work):
    """work(session) where the rows are the table speed_rows."""
    path = os.path.join(scratch, "summary.copy")
    X.sort_indices()
    speed.write_copy(path, X, y)
    session = speed.Session()
    speed.load(session, path)
    os.remove(path)
    result = work(session)
    session.run("DROP TABLE speed_rows")
    session.end()
    return result


def trained(session, call, source="speed_rows"):
    return lambda: session.seconds(f"SELECT pg_column_size({call}) FROM {source}")


def trainings(session, source="speed_rows"):
    return {name: trained(session, f"asgd_train(features, label{options})", source) for name, options in TRAININGS.items()}


def of_groups(counts, rounds=ROUNDS):
    """The trainings of a million rows in one call ("one"), and of the same in so many groups, whose rows lie together."""
    index = ", ".join(f"1 + {20 * j} + (hashint4(i * 13 + {j}) & 15)" for j in range(10))
    value = ", ".join(f"(1 + (hashint4(i * 31 + {j}) & 255)) / 256.0" for j in range(10))
    numbers = ", ".join(f"i / {10**6 // count} AS g{count}" for count in counts)
    session = speed.Session()
    session.run(f"""CREATE TABLE grouped AS SELECT {numbers}, (hashint4(i) & 1) * 2 - 1.0::float8 AS label,
                    sparsearray(ARRAY[{index}]::bigint[], ARRAY[{value}]::float8[]) AS features
                    FROM generate_series(0, 999999) AS i;
                    VACUUM (ANALYZE, FREEZE) grouped;
                    {speed.ALONE}""")

    def by_group(count, options):
        return lambda: session.seconds("SELECT sum(pg_column_size(m)) FROM"
                                       f" (SELECT asgd_train(features, label{options}) AS m FROM grouped"
                                       f" GROUP BY g{count} OFFSET 0) AS s")

    best = {name: least({"one": one} | {count: by_group(count, TRAININGS[name]) for count in counts}, rounds)
            for name, one in trainings(session, "grouped").items()}
    session.run("DROP TABLE grouped")
    session.end()
    return best


def groups(table):
    for (name, best), target in zip(of_groups([20_000]).items(), [("at most", 3), ()]):
        table.add(f"20,000 groups of 50 rows / one call, {name}", best[20_000] / best["one"], *target,
                  parts=f"s: groups {best[20_000]:.3f}  one call {best['one']:.3f}")


def of_dimensions(scratch, ranges, rounds=ROUNDS, scattered=False):
    """The trainings of rows that have 10,000 features in all, among so many: at even distances, or anywhere."""
    near, y = speed.generated(50_000, 10_000, False)
    rng = np.random.default_rng(1)
    best = {}
    for range_of in ranges:
        places = np.sort(rng.choice(range_of, 10**4, replace=False)) if scattered else np.arange(10**4) * (range_of // 10**4)
        X = sp.csr_matrix((near.data, places[near.indices], near.indptr.astype(np.int64)), (near.shape[0], range_of))
        best[range_of] = on_rows(scratch, X, y, lambda session: least(trainings(session), rounds))
    return near.nnz, {name: {range_of: best[range_of][name] for range_of in ranges} for name in TRAININGS}


def dimensions(table, scratch):
    _, best = of_dimensions(scratch, [10**4, 10**6, 10**8])
    for (name, by_range), target in zip(best.items(), [1.1, 2]):
        table.add(f"10^8 features / 10^4, {name}", by_range[10**8] / by_range[10**4], "at most", target,
                  "s: " + "  ".join(f"10^{len(str(d)) - 1} {seconds:.3f}" for d, seconds in by_range.items()))


def of_classes(session, counts):
    """A binary call over speed_rows, and calls that have one of so many names for each row, to be run."""
    session.run("""CREATE TABLE classed AS
        SELECT hashint8(row_number() OVER ()) & 2147483647 AS class, * FROM speed_rows""")
    return {"binary": trained(session, "asgd_train(features, label)")} | {
        count: trained(session, f"asgd_train(features, (class % {count})::text)", "classed") for count in counts}


def several_runs(table, scratch):
    def work(session):
        search = trained(session, "asgd_train(features, label, 'search=true')")
        best = least(of_classes(session, [20]) | {"search": search}, 2)
        session.run("DROP TABLE classed")
        return best

    best = on_rows(scratch, *speed.generated(20_000, 20_000, True), work)
    for name, call, target in [(20, "20 classes", 7), ("search", "search", 4)]:
        table.add(f"{call} / binary call", best[name] / best["binary"], "at most", target,
                  f"s: {call} {best[name]:.3f}  binary {best['binary']:.3f}")


def wall_seconds(work):
    start = time.monotonic()
    work()
    return time.monotonic() - start


def end_to_end(table, scratch):
    """Of rows in the database: trained there, or written to a file, read, and fitted."""
    X, y = speed.generated(50_000, 47_000, True)
    path = os.path.join(scratch, "rows.svm")

    def work(session):
        fields = "replace(split_part(ltrim(features::text, '{'), '}', 1), ',', ' ')"
        return {
            "asgd": least({"asgd": lambda: wall_seconds(lambda: session.run(
                "SELECT pg_column_size(asgd_train(features, label)) FROM speed_rows"))})["asgd"],
            "write": wall_seconds(lambda: session.run(
                f"\\copy (SELECT label || ' ' || {fields} FROM speed_rows) TO '{path}'")),
        }

    best = on_rows(scratch, X, y, work)
    read = {}
    best["load"] = wall_seconds(lambda: read.update(rows=load_svmlight_file(path)))
    best["fit"] = wall_seconds(lambda: speed.fit_seconds(*read["rows"]))
    table.add("write, load, fit with scikit-learn / asgd", (best["write"] + best["load"] + best["fit"]) / best["asgd"],
              parts="s: " + "  ".join(f"{part} {best[part]:.2f}" for part in ("write", "load", "fit", "asgd")))
    if not shutil.which("liblinear-train"):
        print("liblinear-train: skipped, it is not there (Debian: liblinear-tools)")
        return
    best["train"] = wall_seconds(lambda: subprocess.run(
        ["liblinear-train", "-s", "0", "-e", "0.01", "-q", path, os.path.join(scratch, "liblinear.model")], check=True))
    table.add("write, liblinear-train / asgd", (best["write"] + best["train"]) / best["asgd"],
              parts="s: " + "  ".join(f"{part} {best[part]:.2f}" for part in ("write", "train", "asgd")))


def main(scratch, figures, folder=""):
    start = time.monotonic()
    table = Table(figures)
    print(f"{'':48} {'ratio':>8}  target")
    sets(table, scratch, folder)
    groups(table)
    dimensions(table, scratch)
    several_runs(table, scratch)
    end_to_end(table, scratch)
    print(f"{(time.monotonic() - start) / 60:.1f} minutes; bench/check says which targets are missed")


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
