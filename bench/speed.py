#!/usr/bin/python3
"""speed.py SCRATCH [DATA] [SET...]: what scanning, training and predicting cost, in ns a non-zero.

In the database that PGHOST and the rest lead to, on generated rows and on sets of the folder DATA. All figures of a set
are measured in turns, in one run, and the best of each is printed, with the ratios that matter:
  stream    a streaming pass of asgd_train (hinge) beside scan + the bare loop on rows in memory
  predict   sum(sparselin_predict(...)) beside scan + the bare dot products
  refine    a scan of sparselin_refine, the mean of 20, beside scan + twice the bare dot products; and the bare loop that
            adds up a gradient: dot products, the logistic function, plain sums (not for hashed_16m)
  default   asgd_train with no options, ten epochs, beside scikit-learn's fit of the same on rows in memory, and beside
            scan + ten bare loops with logistic loss, in order
Times are processor time (everything runs in one process each), so that a busy machine disturbs little.
SCRATCH holds bare_loop and table_loop, and room for files.
"""
import os
import re
import subprocess
import sys
import time

import numpy as np
import scipy.sparse as sp
from sklearn.datasets import load_svmlight_file
from sklearn.linear_model import SGDClassifier

ROUNDS = 5
TEN_EPOCH_ROUNDS = 3
LEAST_TABLE_SPEED = 0.9  # of a plain array's


def generated(rows, features, text_like, seed=1, words=92):
    """About 75 non-zeros a row, of length 1; text-like: so many words by Zipf's law over the features, else scattered evenly."""
    rng = np.random.default_rng(seed)
    if text_like:
        share = np.cumsum(1 / np.arange(20, features + 20))
        draws = np.searchsorted(share, rng.random((rows, words)) * share[-1])
    else:
        draws = rng.integers(0, features, (rows, 75))
    draws.sort(axis=1)
    fresh = np.ones(draws.shape, bool)
    fresh[:, 1:] = draws[:, 1:] != draws[:, :-1]
    start = np.append(0, np.cumsum(fresh.sum(axis=1)))
    index = draws[fresh].astype(np.int32)
    value = rng.gamma(2.0, size=len(index))
    value /= np.repeat(np.sqrt(np.add.reduceat(value**2, start[:-1])), np.diff(start))
    X = sp.csr_matrix((value.astype(np.float32), index, start.astype(np.int32)), (rows, features))
    score = X @ rng.normal(size=features)
    y = np.where(score + 0.3 * score.std() * rng.normal(size=rows) > 0, 1.0, -1.0)
    return X, y


def from_file(name):
    def load(folder):
        X, y = load_svmlight_file(os.path.join(folder, name, name + ".train.svm.gz"), zero_based=False)
        return X.astype(np.float32), y
    return load


SETS = {
    "text_47k": lambda _: generated(200_000, 47_000, True),
    "hashed_16m": lambda _: generated(100_000, 2**24, False),
    "a9a": from_file("a9a"),
    "rt_polarity": from_file("rt_polarity"),
}
GENERATED = {"text_47k", "hashed_16m"}
REFINED = ["text_47k", "a9a", "rt_polarity"]
SCANS = 20
DENSE = "text_47k"  # where the feature table is compared with a plain array


class Session:
    """A psql that stays, so that every query runs in one backend."""

    def __init__(self):
        self.psql = subprocess.Popen(["psql", "-XqAt", "-v", "ON_ERROR_STOP=1"], stdin=subprocess.PIPE,
                                     stdout=subprocess.PIPE, text=True)
        self.backend = self.run("SELECT pg_backend_pid()")[0]

    def run(self, command):
        self.psql.stdin.write(command + ";\n\\echo <done>\n")
        self.psql.stdin.flush()
        lines = []
        for line in self.psql.stdout:
            if line == "<done>\n":
                return lines
            lines.append(line.rstrip("\n"))
        raise RuntimeError(f"psql ended in: {command}")

    def end(self):
        self.psql.stdin.close()
        self.psql.wait()

    def seconds(self, query):
        start = self.processor_seconds()
        self.run(query)
        return self.processor_seconds() - start

    def processor_seconds(self):
        with open(f"/proc/{self.backend}/schedstat") as file:
            return int(file.read().split()[0]) / 1e9


class BareLoop:
    def __init__(self, program, file, lam):
        self.loop = subprocess.Popen([program, file, repr(lam)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                     text=True)

    def seconds(self, name):
        self.loop.stdin.write(name + "\n")
        self.loop.stdin.flush()
        return float(self.loop.stdout.readline())

    def end(self):
        self.loop.stdin.close()
        self.loop.wait()


def write_rows(path, X, y):
    with open(path, "wb") as file:
        np.array([X.shape[0], X.nnz, X.shape[1]], np.int64).tofile(file)
        for numbers, kind in [(X.indptr, np.int32), (X.indices, np.int32), (X.data, np.float32), (y, np.float32)]:
            numbers.astype(kind).tofile(file)


def write_copy(path, X, y):
    """The rows as COPY reads them in binary: label, features."""
    index, value, label = X.indices.astype(">i4"), X.data.astype(">f4"), y.astype(">f8").tobytes()
    with open(path, "wb") as file:
        file.write(b"PGCOPY\n\xff\r\n\0" + bytes(8))
        for i in range(X.shape[0]):
            part = slice(X.indptr[i], X.indptr[i + 1])
            nnz = part.stop - part.start
            header = np.array([12 + 8 * nnz, 0, nnz, 0], ">i4").tobytes()
            file.write(b"\0\2\0\0\0\10" + label[8 * i:8 * i + 8] + header + index[part].tobytes() + value[part].tobytes())
        file.write(b"\xff\xff")
    os.chmod(path, 0o644)


# One process, whose plans are as simple as can be.
ALONE = """SET max_parallel_workers_per_gather = 0;
        SET synchronize_seqscans = off;
        SET jit = off;
        SET work_mem = '4GB'"""


def load(session, path):
    session.run(f"""
        SET client_min_messages = warning;
        DROP TABLE IF EXISTS speed_rows, speed_model, speed_refined;
        CREATE TABLE speed_rows (label float8, features sparsearray);
        \\copy speed_rows FROM '{path}' (FORMAT binary)
        VACUUM (ANALYZE, FREEZE) speed_rows;
        {ALONE}""")


def fit_seconds(X, y):
    model = SGDClassifier(loss="log_loss", alpha=1 / len(y), average=True, max_iter=10, tol=None, shuffle=True)
    start = time.process_time()
    model.fit(X, y)
    return time.process_time() - start


def table_beside_array(scratch, rows_file):
    line = subprocess.run([os.path.join(scratch, "table_loop"), rows_file], text=True, stdout=subprocess.PIPE,
                          check=True).stdout.rstrip()
    share = float(re.search(r"([\d.]+) of its speed", line)[1])
    return f"{line} (goal: at least {LEAST_TABLE_SPEED})" + ("" if share >= LEAST_TABLE_SPEED else "   MISSED")


def measure(scratch, name, X, y, one_pass_rounds=ROUNDS, ten_epoch_rounds=TEN_EPOCH_ROUNDS):
    X.sort_indices()
    lam = 1 / X.shape[0]
    rows_file, copy_file = (os.path.join(scratch, f"{name}.{ending}") for ending in ("rows", "copy"))
    write_rows(rows_file, X, y)
    write_copy(copy_file, X, y)
    session = Session()
    load(session, copy_file)
    os.remove(copy_file)
    stream = f"'loss=hinge lambda={lam!r} epochs=1 sampling=sequential step_offset=0'"
    session.run(f"CREATE TABLE speed_model AS SELECT asgd_train(features, label, {stream}) AS model FROM speed_rows")
    bare = BareLoop(os.path.join(scratch, "bare_loop"), rows_file, lam)
    X64 = X.astype(np.float64)

    def query(what):
        return lambda: session.seconds(f"SELECT {what} FROM speed_rows")

    def spilled():
        session.run("SET work_mem = '4MB'")
        seconds = query("pg_column_size(asgd_train(features, label))")()
        session.run("SET work_mem = '4GB'")
        return seconds

    one_pass = {
        "scan": query("sum(sparsearray_nnz(features))"),
        "stream": query(f"pg_column_size(asgd_train(features, label, {stream}))"),
        "predict": query("sum(sparselin_predict((SELECT model FROM speed_model), features))"),
        "sum": lambda: bare.seconds("sum"),
        "loop": lambda: bare.seconds("asgd"),
        "log": lambda: bare.seconds("log"),
        "dot": lambda: bare.seconds("dot"),
    }
    ten_epochs = {
        "default": query("pg_column_size(asgd_train(features, label))"),
        "casgd": query("pg_column_size(casgd_train(features, label))"),
        "spilled": spilled,
        "sklearn": lambda: fit_seconds(X64, y),
    }
    def refine():
        rows = "SELECT features, label FROM speed_rows"
        return session.seconds("SELECT objective FROM"
                               f" sparselin_refine((SELECT model FROM speed_refined), '{rows}', {SCANS}, 0)") / SCANS

    if name in REFINED:
        session.run("CREATE TABLE speed_refined AS SELECT asgd_train(features, label, 'epochs=1') AS model FROM speed_rows")
        one_pass |= {"refine": refine, "gradient": lambda: bare.seconds("grad")}
    best = {}
    for tasks, rounds in [(one_pass, one_pass_rounds), (ten_epochs, ten_epoch_rounds)]:
        for _ in range(rounds):
            for task, seconds in tasks.items():
                best[task] = min(seconds(), best.get(task, np.inf))
    bare.end()
    session.run("DROP TABLE IF EXISTS speed_rows, speed_model, speed_refined")
    session.end()
    if name == DENSE:
        print(f"\n{name}, steps of learning: " + table_beside_array(scratch, rows_file))
    os.remove(rows_file)
    return best


def show(name, X, best):
    ns = {task: seconds * 1e9 / X.nnz for task, seconds in best.items()}
    print(f"\n{name}: {X.shape[0]} rows, {X.shape[1]} features, {X.nnz / X.shape[0]:.1f} non-zeros a row; ns a non-zero")
    print(f"  one pass    scan {ns['scan']:.2f}   stream {ns['stream']:.2f}   predict {ns['predict']:.2f}"
          f"   in memory: sum {ns['sum']:.2f}   bare loop {ns['loop']:.2f}, logistic {ns['log']:.2f}   bare dot {ns['dot']:.2f}")
    print(f"  ten epochs  asgd {ns['default']:.1f}   casgd {ns['casgd']:.1f}   asgd at work_mem 4MB {ns['spilled']:.1f}"
          f"   scikit-learn's fit {ns['sklearn']:.1f}")
    print(f"  ratios      stream / (scan + loop) {ns['stream'] / (ns['scan'] + ns['loop']):.2f} (goal: at most 1.2)"
          f"   predict / (scan + dot) {ns['predict'] / (ns['scan'] + ns['dot']):.2f} (at most 1.5)"
          f"   scikit-learn / asgd {ns['sklearn'] / ns['default']:.2f} (at least 1.5)", flush=True)
    if "refine" not in ns:
        return
    goal = ns["scan"] + 2 * ns["dot"]
    print(f"  refining    a scan {ns['refine']:.2f}   in memory: bare gradient {ns['gradient']:.2f}"
          f"   refine / (scan + 2 dot) {ns['refine'] / goal:.2f} (goal: at most 1.3)"
          f"   (scan + bare gradient) / (scan + 2 dot) {(ns['scan'] + ns['gradient']) / goal:.2f}", flush=True)


def main(scratch, folder="", *names):
    for name in names or SETS:
        if name not in GENERATED and not os.path.isdir(folder):
            print(f"\n{name}: skipped, no folder of data sets is given")
            continue
        X, y = SETS[name](folder)
        show(name, X, measure(scratch, name, X, y))


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(*sys.argv[1:])
