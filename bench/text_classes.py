#!/usr/bin/python3
"""text_classes.py DATA [SET...]: how good models of several classes are that were trained from raw text with no options.

For each set under the folder DATA, in the database that PGHOST and the rest lead to: test accuracy, log loss and the time
from text to model, of sparselin_train on sparselin_features(to_tsvector('simple', body)) and of the same with
loss=multinomial. Beside them, from counts of words as well: LIBLINEAR at C = 1, one against the rest, and scikit-learn's
averaged SGD for ten epochs, on hashed counts. Where scikit-learn is not installed, the figures of DATA/README.md take
their place, without times. Exit status 1 where sparselin_train is more than a point less accurate than the better of both,
or a log loss is not finite.
"""
import gzip
import math
import os
import re
import subprocess
import sys
import time

try:
    import numpy as np
    from sklearn.feature_extraction.text import HashingVectorizer
    from sklearn.linear_model import LogisticRegression, SGDClassifier
    from sklearn.multiclass import OneVsRestClassifier
except ImportError:
    np = None

SETS = ["r8", "trec6", "banking77"]
MOST_POINTS_LOST = 1.0
CALLS = [("sparselin_train", ""), ("loss=multinomial", ", 'loss=multinomial'")]


def psql(script):
    done = subprocess.run(["psql", "-XqAt", "-F", " ", "-v", "ON_ERROR_STOP=1"], input=script, text=True,
                          stdout=subprocess.PIPE, check=True)
    return done.stdout


def path(folder, name, part):
    return os.path.join(os.path.abspath(folder), name, f"{name}.{part}.tsv.gz")


def load(folder, name):
    psql("SET client_min_messages = warning; DROP SCHEMA IF EXISTS classes CASCADE; CREATE SCHEMA classes")
    for part in ("train", "test"):
        psql(f"""
            CREATE TABLE classes.{part} (id serial, label text, body text);
            \\copy classes.{part} (label, body) FROM PROGRAM 'gzip -dc "{path(folder, name, part)}"' (FORMAT csv, DELIMITER E'\\t', QUOTE E'\\b')
            VACUUM ANALYZE classes.{part}""")


def ours(options):
    """Accuracy in percent, log loss, seconds."""
    started = time.perf_counter()
    psql(f"""
        SET client_min_messages = warning;
        DROP TABLE IF EXISTS classes.model;
        CREATE TABLE classes.model AS
        SELECT sparselin_train(sparselin_features(to_tsvector('simple', body)), label{options} ORDER BY id) AS model
        FROM classes.train""")
    seconds = time.perf_counter() - started
    accuracy, log_loss = psql("""
        SELECT (card).accuracy, (card).log_loss
        FROM (SELECT sparselin_evaluate(model, sparselin_features(to_tsvector('simple', body)), label) AS card
              FROM classes.model, classes.test) AS v""").split()
    return 100 * float(accuracy), float(log_loss), seconds


def read(folder, name, part):
    with gzip.open(path(folder, name, part), "rt", encoding="utf-8") as file:
        return zip(*(line.rstrip("\n").split("\t", 1) for line in file))


def judged(scores, classes, labels):
    """One against the rest: the sigmoids, divided by their sum."""
    labels = np.searchsorted(classes, labels)
    logs = -np.logaddexp(0, -scores)
    own = logs[np.arange(len(labels)), labels] - np.logaddexp.reduce(logs, axis=1)
    return 100 * float(np.mean(scores.argmax(axis=1) == labels)), -float(np.mean(own))


def liblinear(rows, labels):
    """Its columns are those that occur: an array of 2^20 for each class would take most of the time."""
    columns = np.unique(rows.indices)
    model = OneVsRestClassifier(LogisticRegression(solver="liblinear", C=1)).fit(rows[:, columns], labels)
    return model.classes_, lambda test: np.stack([e.decision_function(test[:, columns]) for e in model.estimators_], axis=1)


def averaged_sgd(rows, labels):
    model = SGDClassifier(loss="log_loss", alpha=1 / len(labels), average=True, max_iter=10, tol=None, random_state=0)
    model.fit(rows, labels)
    return model.classes_, model.decision_function


def others(folder, name):
    """By name: accuracy in percent, log loss, seconds from text to model."""
    if np is None:
        return from_readme(folder, name)
    words = HashingVectorizer(token_pattern=r"\w+", norm=None, alternate_sign=False)
    (labels, bodies), (test_labels, test_bodies) = (read(folder, name, part) for part in ("train", "test"))
    found = {}
    for learner, fit in (("LIBLINEAR", liblinear), ("averaged SGD", averaged_sgd)):
        started = time.perf_counter()
        classes, score = fit(words.transform(bodies), np.array(labels))
        seconds = time.perf_counter() - started
        found[learner] = *judged(score(words.transform(test_bodies)), classes, np.array(test_labels)), seconds
    return found


def from_readme(folder, name):
    with open(os.path.join(folder, "README.md"), encoding="utf-8") as file:
        row = re.search(rf"^\| {name} \|[^|]*\|(.*)\|$", file.read(), re.M).group(1)
    one_by_one, _, sgd = ([float(number) for number in cell.split("/")] for cell in row.split("|"))
    return {"LIBLINEAR": (100 * one_by_one[0], one_by_one[1], math.nan), "averaged SGD": (100 * sgd[0], sgd[1], math.nan)}


def row(name, learner, result, verdict=""):
    accuracy, log_loss, seconds = result
    print(f"{name:10} {learner:16} {accuracy:8.2f} {log_loss:9.4f} {seconds:8.2f}   {verdict}".rstrip(), flush=True)


def main(folder, names):
    print(f"{'set':10} {'learner':16} {'accuracy':>8} {'log loss':>9} {'seconds':>8}")
    broken = 0
    for name in names:
        load(folder, name)
        beside = others(folder, name)
        for learner, result in beside.items():
            row(name, learner, result)
        least = max(accuracy for accuracy, _, _ in beside.values()) - MOST_POINTS_LOST
        for call, options in CALLS:
            result = ours(options)
            good = math.isfinite(result[1]) and (options != "" or result[0] >= least - 1e-9)
            broken += not good
            row(name, call, result, "pass" if good else "FAIL")
    psql("SET client_min_messages = warning; DROP SCHEMA classes CASCADE")
    print("every bound is kept" if broken == 0 else f"{broken} rows break a bound")
    return 1 if broken else 0


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1], sys.argv[2:] or SETS))
