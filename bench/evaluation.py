#!/usr/bin/python3
"""evaluation.py DATA: the numbers of sparselin_evaluate beside those of scikit-learn's metrics.

On the data sets under the folder DATA, in the database that PGHOST and the rest lead to: models of all losses, with and
without weights, evaluated on the test rows. scikit-learn gets the scores of sparselin_predict. Exit status 1 when a
number differs by more than rounding.

evaluation.py --constants: scikit-learn's numbers for the rows that sql/evaluate.sql makes, as that file has them.
"""
import os
import sys

import numpy as np
from sklearn import metrics

from quality import psql

MOST = 1e-11
SETS = ["sms_spam", "a9a", "w7a", "rcv1_small", "mushroom", "krvskp", "ad_dedup", "rt_polarity", "spamassassin",
        "magic04.scaled", "spambase.scaled"]
NAMES = ["loss", "accuracy", "precision", "recall", "f1", "auc", "log_loss", "true_positives", "false_positives",
         "true_negatives", "false_negatives", "rmse", "mae", "r2"]


def of_classes(loss, y, score, weight):
    """Labels are -1 and 1."""
    said = np.where(score > 0, 1, -1)
    # scikit-learn takes probabilities within 2e-16 of 0 and 1 for those: scores of +-36.
    log_loss = (metrics.log_loss(y, 1 / (1 + np.exp(-score)), sample_weight=weight) if np.abs(score).max() < 30
                else np.average(np.logaddexp(0, -y * score), weights=weight))
    squares = np.average(np.maximum(0, 1 - y * score) ** 2 / 2, weights=weight)
    precision, recall, f1, _ = metrics.precision_recall_fscore_support(
        y, said, average="binary", sample_weight=weight)
    (tn, fp), (fn, tp) = metrics.confusion_matrix(y, said, labels=[-1, 1], sample_weight=weight)
    return {
        "loss": {"logistic": log_loss, "hinge": metrics.hinge_loss(y, score, sample_weight=weight),
                 "squared_hinge": squares}[loss],
        "accuracy": metrics.accuracy_score(y, said, sample_weight=weight),
        "precision": precision, "recall": recall, "f1": f1,
        "auc": metrics.roc_auc_score(y, score, sample_weight=weight),
        "log_loss": log_loss if loss == "logistic" else None,
        "true_positives": tp, "false_positives": fp, "true_negatives": tn, "false_negatives": fn}


def of_numbers(loss, y, score, weight):
    mse = metrics.mean_squared_error(y, score, sample_weight=weight)
    mae = metrics.mean_absolute_error(y, score, sample_weight=weight)
    return {"loss": mse / 2 if loss == "squared" else mae, "rmse": np.sqrt(mse), "mae": mae,
            "r2": metrics.r2_score(y, score, sample_weight=weight)}


def constants():
    i = np.arange(1, 2001)
    score = (i * 7919 % 101 - 40) / 16
    y = np.where(i * 104729 % 211 < 90 + i * 7919 % 101, 1, -1)
    number = 2 * score + i * 31 % 17 / 4 - 3
    weight = 0.25 + i % 5 * 0.75
    for loss, numbers, labels in (("logistic", of_classes, y), ("hinge", of_classes, y),
                                  ("squared_hinge", of_classes, y), ("squared", of_numbers, number),
                                  ("absolute", of_numbers, number)):
        for weighted in (False, True):
            found = numbers(loss, labels, score, weight if weighted else None)
            values = ", ".join("NULL" if found.get(name) is None else repr(float(found[name])) for name in NAMES)
            print(f"    ('{loss}', {str(weighted).lower()}, {values}),")


def load(stem):
    psql("SET client_min_messages = warning; DROP SCHEMA IF EXISTS evaluation CASCADE; CREATE SCHEMA evaluation")
    for part in ("train", "test"):
        psql(f"""
            CREATE TEMP TABLE lines (id serial, line text);
            \\copy lines (line) FROM PROGRAM 'gzip -dc "{stem}.{part}.svm.gz"' (FORMAT csv, DELIMITER E'\\x01', QUOTE E'\\x02')
            CREATE TABLE evaluation.{part} AS
            SELECT id, 0.25 + id % 5 * 0.75 AS weight, (sparselin_libsvm(line)).* FROM lines""")


def compare(name, loss, weighted, numbers):
    """The largest difference, relative."""
    psql(f"""
        SET client_min_messages = warning;
        DROP TABLE IF EXISTS evaluation.model;
        CREATE TABLE evaluation.model AS
        SELECT casgd_train(features, label, 'loss={loss} epochs=3{' scale=std' if name == 'housing' else ''}') AS model
        FROM evaluation.train""")
    rows = psql("SELECT label, sparselin_predict(model, features), weight FROM evaluation.model, evaluation.test")
    y, score, weight = np.array([line.split() for line in rows.splitlines()], dtype=float).T
    expected = numbers(loss, y, score, weight if weighted else None)
    ours = psql(f"""
        \\pset null none
        SELECT e.{', e.'.join(NAMES)}
        FROM (SELECT (sparselin_evaluate(model, features, label{', weight' if weighted else ''})).*
              FROM evaluation.model, evaluation.test) AS e""").split()
    largest = 0.0
    for key, value in zip(NAMES, ours):
        if (value == "none") != (expected.get(key) is None):
            return np.inf
        if value != "none":
            difference = abs(float(value) - expected[key]) / max(abs(expected[key]), 1e-300)
            largest = max(largest, difference if expected[key] != 0 else abs(float(value)))
    return largest


def main(folder):
    print(f"{'data set':16} {'loss':14} {'differs by':>10}  {'weighted':>10}")
    broken = 0
    for name in SETS + ["housing"]:
        load(os.path.join(os.path.abspath(folder), name.split(".")[0], name))
        losses = ("squared", "absolute") if name == "housing" else ("logistic", "hinge", "squared_hinge")
        numbers = of_numbers if name == "housing" else of_classes
        for loss in losses:
            found = [compare(name, loss, weighted, numbers) for weighted in (False, True)]
            good = max(found) <= MOST
            broken += not good
            print(f"{name:16} {loss:14} {found[0]:10.1e}  {found[1]:10.1e}   {'pass' if good else 'FAIL'}", flush=True)
    psql("SET client_min_messages = warning; DROP SCHEMA evaluation CASCADE")
    return 1 if broken else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(constants() if sys.argv[1] == "--constants" else main(sys.argv[1]))
