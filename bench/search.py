#!/usr/bin/python3
"""search.py DATA [SET...]: how good is the strength of regularisation that `search` chooses, and what does it cost.

For each data set under the folder DATA, in the database that PGHOST and the rest lead to: log loss on the test rows of
casgd_train with nothing chosen (lambda = 1/rows), with search, and the least one of a grid of separate calls, which looks
at the test rows themselves; test accuracy beside LIBLINEAR's, whose C is chosen by cross-validation over the training
rows; the mean probability of the training rows over their share of positives; and what the search takes in calls
without, the shortest of three each. Exit status 1 when, on a set of at least 2000 training rows, the log loss is more
than 2 % above the least of the grid, or the accuracy more than 0.5 points below LIBLINEAR's.
"""
import sys

import numpy as np
from sklearn.datasets import load_svmlight_file
from sklearn.linear_model import LogisticRegressionCV

from quality import SETS, DataSet, psql

STRENGTHS = [100, 30, 10, 3, 1, 0.3, 0.1, 0.03, 0.01]
MOST_LOSS, MOST_POINTS, FROM_ROWS = 1.02, 0.5, 2000
SETTINGS = "SET client_min_messages = warning; SET work_mem = '1GB'; SET max_parallel_workers_per_gather = 0;"


def judged(option):
    """Log loss and accuracy on the test rows, z, mean probability over the share, of a call."""
    return np.array(psql(f"""{SETTINGS}
        CREATE TEMP TABLE model AS SELECT casgd_train(features, label{option}) AS model FROM quality.train;
        SELECT (e).log_loss, 100 * (e).accuracy FROM (SELECT sparselin_evaluate(model, features, label) AS e FROM model, quality.test) AS s;
        SELECT lambda * rows FROM model, sparselin_info(model);
        SELECT avg(sparselin_probability(model, features)) / avg((label > 0)::int) FROM model, quality.train""").split(), float)


def seconds(option):
    """The shortest of three."""
    return min(float(psql(f"""{SETTINGS}
        CREATE TEMP TABLE clock AS SELECT clock_timestamp() AS start;
        SELECT FROM (SELECT casgd_train(features, label{option}) AS model FROM quality.train) AS s WHERE model IS NULL;
        SELECT extract(epoch FROM clock_timestamp() - start) FROM clock""").split()[-1]) for _ in range(3))


def liblinear_accuracy(data):
    X, y = load_svmlight_file(data.files["test"], n_features=data.X.shape[1], zero_based=False)
    solver = LogisticRegressionCV(Cs=[1 / z for z in STRENGTHS], cv=5, solver="liblinear", scoring="neg_log_loss",
                                  max_iter=1000)
    return 100 * np.mean(solver.fit(data.X, data.y).predict(X) == y)


def main(folder, names):
    print(f"{'set':13} {'rows':>6} {'no search':>10} {'search':>8} {'z':>7} {'grid':>8} {'ratio':>6}"
          f" {'accuracy':>9} {'LIBLINEAR':>9} {'share':>6} {'calls':>6}")
    broken = 0
    for name in names:
        data = DataSet(folder, name)
        data.load()
        rows = len(data.y)
        plain, _, _, share = judged("")
        loss, accuracy, z, _ = judged(", 'search=true'")
        least = min(judged(f", 'lambda={strength / rows!r}'")[0] for strength in STRENGTHS)
        best = liblinear_accuracy(data)
        calls = seconds(", 'search=true'") / seconds("")
        good = rows < FROM_ROWS or (loss <= MOST_LOSS * least and accuracy >= best - MOST_POINTS)
        broken += not good
        print(f"{name:13} {rows:6} {plain:10.4f} {loss:8.4f} {z:7.3g} {least:8.4f} {loss / least:6.3f} {accuracy:9.2f} {best:9.2f}"
              f" {share:6.3f} {calls:6.2f}   {'pass' if good else 'FAIL'}", flush=True)
    psql("SET client_min_messages = warning; DROP SCHEMA quality CASCADE")
    print("every bound is kept" if broken == 0 else f"{broken} rows break a bound")
    return 1 if broken else 0


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1], sys.argv[2:] or SETS))
