#!/usr/bin/python3
"""tf_idf.py DATA [SET...]: raw text with scale=idf norm=l2 search=true, beside LIBLINEAR at its best C on the same tf-idf.

For each set under the folder DATA, in the database that PGHOST and the rest lead to: test accuracy and log loss of one call
of sparselin_train on sparselin_features(to_tsvector('simple', body)), counts as they are, and of its model on such counts;
and of scikit-learn's LIBLINEAR on these counts as its TfidfTransformer brings them to tf-idf rows of length 1, with the C
of .1, .3, ... 300 that has the least log loss over five folds of the training rows. Exit status 1 where sparselin_train is
more than half a point less accurate.
"""
import os
import sys
import time

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.multiclass import OneVsRestClassifier

from text_classes import load, psql

SETS = ["sms_spam", "rt_polarity", "r8"]
MOST_POINTS_LOST = 0.5
CS = [0.1, 0.3, 1, 3, 10, 30, 100, 300]
FEATURES = "sparselin_features(to_tsvector('simple', body))"


def ours():
    """Accuracy in percent, log loss, seconds."""
    started = time.perf_counter()
    psql(f"""
        SET client_min_messages = warning;
        CREATE TABLE classes.model AS
        SELECT sparselin_train({FEATURES}, label, 'scale=idf norm=l2 search=true' ORDER BY id) AS model FROM classes.train""")
    seconds = time.perf_counter() - started
    accuracy, log_loss = psql(f"""
        SELECT (card).accuracy, (card).log_loss
        FROM (SELECT sparselin_evaluate(model, {FEATURES}, label) AS card FROM classes.model, classes.test) AS v""").split()
    return 100 * float(accuracy), float(log_loss), seconds


def counts(part):
    """The rows of a table as a matrix of counts, and their labels."""
    rows, columns, values, labels = [], [], [], []
    for number, line in enumerate(psql(f"""
            SELECT label, trim(both '{{}}' from split_part({FEATURES}::text, '/', 1)) FROM classes.{part}
            ORDER BY id""").splitlines()):
        label, _, entries = line.partition(" ")
        labels.append(label)
        for entry in filter(None, entries.split(",")):
            index, value = entry.split(":")
            rows.append(number), columns.append(int(index) - 1), values.append(float(value))
    return csr_matrix((values, (rows, columns)), shape=(len(labels), 1 << 20)), np.array(labels)


def judged(model, X, labels):
    own = model.predict_proba(X)[np.arange(len(labels)), np.searchsorted(model.classes_, labels)]
    return 100 * float(np.mean(model.predict(X) == labels)), -float(np.mean(np.log(own)))


def liblinear(C):
    return OneVsRestClassifier(LogisticRegression(solver="liblinear", C=C, max_iter=1000))


def best_C(X, y):
    folds = list(StratifiedKFold(5, shuffle=True, random_state=0).split(X, y))
    losses = [np.mean([judged(liblinear(C).fit(X[a], y[a]), X[b], y[b])[1] for a, b in folds]) for C in CS]
    return CS[int(np.argmin(losses))]


def others():
    """The best C, accuracy in percent, log loss."""
    (X, y), (test_X, test_y) = counts("train"), counts("test")
    used = np.unique(X.indices)
    tf_idf = TfidfTransformer().fit(X[:, used])
    X, test_X = tf_idf.transform(X[:, used]), tf_idf.transform(test_X[:, used])
    C = best_C(X, y)
    return C, *judged(liblinear(C).fit(X, y), test_X, test_y)


def main(folder, names):
    print(f"{'set':12} {'learner':16} {'accuracy':>8} {'log loss':>9} {'seconds':>8}")
    broken = 0
    for name in names:
        load(folder, name)
        accuracy, log_loss, seconds = ours()
        C, best, its_loss = others()
        good = accuracy >= best - MOST_POINTS_LOST
        broken += not good
        print(f"{name:12} {f'LIBLINEAR C={C:g}':16} {best:8.2f} {its_loss:9.4f}")
        print(f"{name:12} {'sparselin_train':16} {accuracy:8.2f} {log_loss:9.4f} {seconds:8.2f}   {'pass' if good else 'FAIL'}",
              flush=True)
    psql("SET client_min_messages = warning; DROP SCHEMA classes CASCADE")
    print("every bound is kept" if broken == 0 else f"{broken} rows break a bound")
    return 1 if broken else 0


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1], sys.argv[2:] or SETS))
