#!/usr/bin/python3
"""large.py: learning from 5 million rows of 64 non-zeros, 2.6 GB as they are kept, in the database that PGHOST and the rest
lead to: an epoch in random order beside one in order, all that comes before the first epoch beside S, the scan, and rows in
a file (work_mem = '64MB') beside rows in memory. Processor time in ns a non-zero, the least of several turns.
"""
import os
import tempfile

import numpy as np

import speed

PARTS, ROWS_OF_PART, FEATURES, WORDS = 10, 500_000, 47_000, 66
TURNS = 2
SCAN = "sum(sparsearray_nnz(features))"


def load(session, folder):
    session.run("CREATE TABLE large (label float8, features sparsearray)")
    path = os.path.join(folder, "part.copy")
    nonzeros = 0
    for part in range(PARTS):
        X, y = speed.generated(ROWS_OF_PART, FEATURES, True, seed=100 + part, words=WORDS)
        speed.write_copy(path, X, y)
        session.run(f"\\copy large FROM '{path}' (FORMAT binary)")
        nonzeros += X.nnz
    session.run(f"VACUUM (ANALYZE, FREEZE) large; {speed.ALONE}; SET work_mem = '16GB'; SET client_min_messages = warning")
    return nonzeros


def trained(sampling, epochs):
    return f"pg_column_size(asgd_train(features, label, 'settle=false sampling={sampling} epochs={epochs}'))"


def seconds(session, what, work_mem="16GB"):
    session.run(f"SET work_mem = '{work_mem}'")
    return session.seconds(f"SELECT {what} FROM large")


def measured(session, nonzeros):
    """In turns, each after a call that has the memory at hand: some machines take back what lies idle for a while."""
    calls = {"in order, 2": (trained("sequential", 2),), "in order, 10": (trained("sequential", 10),),
             "random, 2": (trained("shuffle", 2),), "random, 10": (trained("shuffle", 10),),
             "in a file, 2": (trained("shuffle", 2), "64MB"), "in a file, 10": (trained("shuffle", 10), "64MB"), "scan": (SCAN,)}
    best = dict.fromkeys(calls, np.inf)
    for _ in range(TURNS):
        seconds(session, trained("shuffle", 1))
        for name, call in calls.items():
            best[name] = min(best[name], seconds(session, *call) * 1e9 / nonzeros)
    return best


def show(best):
    epoch = {order: (best[f"{order}, 10"] - best[f"{order}, 2"]) / 8 for order in ["in order", "random", "in a file"]}
    before = best["random, 2"] - 2 * epoch["random"]
    print("  ".join(f"{name}: {ns:.2f}" for name, ns in best.items()))
    print(f"an epoch: in order {epoch['in order']:.2f}, random {epoch['random']:.2f}, random from a file {epoch['in a file']:.2f}")
    print(f"random / in order {epoch['random'] / epoch['in order']:.2f} (goal: at most 1.5)   "
          f"before the first epoch {before:.2f}, {before / best['scan']:.2f} S (at most 2)   "
          f"ten epochs, in a file / in memory {best['in a file, 10'] / best['random, 10']:.2f} (at most 1.3)")


def main():
    session = speed.Session()
    with tempfile.TemporaryDirectory(prefix="sparselin.large.") as folder:
        nonzeros = load(session, folder)
    print(f"{PARTS * ROWS_OF_PART} rows, {nonzeros} non-zeros; ns a non-zero", flush=True)
    show(measured(session, nonzeros))
    session.end()


if __name__ == "__main__":
    main()
