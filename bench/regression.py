#!/usr/bin/python3
"""regression.py DATA: how well numbers are estimated, on housing, whose features differ in scale a thousandfold.

In the database that PGHOST and the rest lead to: test errors of casgd_train and onepass_train on the raw features with
scale => 'std', beside those of ridge regression (scikit-learn, alpha = 1, on the same raw features). Exit status 1 when
an error is above its bound.
"""
import os
import sys

import numpy as np
from sklearn.datasets import load_svmlight_file
from sklearn.linear_model import Ridge

from quality import psql

MOST = 1.03  # times ridge's error
RUNS = [("casgd", "loss=squared", True), ("onepass", "loss=squared", False), ("onepass", "loss=squared epochs=10", True),
        ("casgd", "loss=absolute", False), ("casgd", "loss=absolute epochs=100", False),
        ("onepass", "loss=absolute", False), ("onepass", "loss=absolute epochs=100", False)]


def load(stem):
    psql("SET client_min_messages = warning; DROP SCHEMA IF EXISTS regression CASCADE; CREATE SCHEMA regression")
    for part in ("train", "test"):
        psql(f"""
            CREATE TEMP TABLE lines (line text);
            \\copy lines FROM PROGRAM 'gzip -dc "{stem}.{part}.svm.gz"' (FORMAT csv, DELIMITER E'\\x01', QUOTE E'\\x02')
            CREATE TABLE regression.{part} AS SELECT (sparselin_libsvm(line)).* FROM lines""")


def errors_of(learner, options):
    """Root of the mean squared error, and mean absolute error, on the test rows."""
    answer = psql(f"""
        CREATE TEMP TABLE model AS
        SELECT {learner}_train(features, label, 'scale=std {options}') AS model FROM regression.train;
        SELECT sqrt(avg(error ^ 2)), avg(abs(error))
        FROM model, regression.test, LATERAL (SELECT sparselin_predict(model, features) - label AS error) AS e""")
    return [float(error) for error in answer.split()]


def ridge_errors(stem):
    X, y, X_test, y_test = (part for name in ("train", "test")
                            for part in load_svmlight_file(f"{stem}.{name}.svm.gz", n_features=13, zero_based=False))
    error = Ridge(alpha=1).fit(X.toarray(), y).predict(X_test.toarray()) - y_test
    return np.sqrt(np.mean(error**2)), np.mean(np.abs(error))


def main(folder):
    stem = os.path.join(os.path.abspath(folder), "housing", "housing")
    load(stem)
    ridge, ridge_absolute = ridge_errors(stem)
    print(f"{'learner':8} {'options beside scale=std':26} {'RMSE':>7} {'MAE':>7} {'RMSE/ridge':>10}")
    print(f"{'ridge':8} {'':26} {ridge:7.4f} {ridge_absolute:7.4f} {1:10.4f}")
    broken = 0
    for learner, options, bounded in RUNS:
        rmse, mae = errors_of(learner, options)
        good = rmse <= MOST * ridge
        broken += bounded and not good
        verdict = ("pass" if good else "FAIL") if bounded else ""
        print(f"{learner:8} {options:26} {rmse:7.4f} {mae:7.4f} {rmse / ridge:10.4f}   {verdict}".rstrip(), flush=True)
    psql("SET client_min_messages = warning; DROP SCHEMA regression CASCADE")
    return 1 if broken else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1]))
