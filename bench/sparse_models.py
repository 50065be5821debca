#!/usr/bin/python3
"""sparse_models.py DATA [SET...]: how few weights are enough.

Langford, Li and Zhang ask what fraction of the features is left when accuracy may fall by one percentage point. For each
data set under the folder DATA, in the database that PGHOST and the rest lead to: grids of models over the first step
size and the strength of what makes weights 0, for truncated_train (truncating every 10 steps, once an epoch, and rounding
once an epoch) and elasticnet_train, each grid trained in one statement. Of the models whose accuracy on the test rows is
at most one point below that of the best run without regularisation, the one with the fewest weights is shown. Chosen on
the test rows: it describes what there is, it is no way to choose.
"""
import os
import sys

from quality import SCALED, psql

SETS = ["ad_dedup", "krvskp", "magic04", "mushroom", "spambase", "rcv1_small"]
POINTS = 1.0
EPOCHS = 40
ETA0 = ["0.5", "2", "8", "32"]
STEPS_PER_POWER = 4

# The learner; its options, the strength left out; the powers of ten that the strength goes through.
METHODS = {
    "truncated, every 10": ("truncated", "truncate_every=10 gravity=", -6, 0),
    "truncated, every epoch": ("truncated", "truncate_every={rows} gravity=", -6, 0),
    "rounded, every epoch": ("truncated", "truncate_every={rows} method=round threshold=", -4, 1),
    "elastic net": ("elasticnet", "lambda=1e-5 l1=", -6, 0),
}
WITHOUT = "gravity=0"


def load(folder, name):
    """The number of rows and of distinct features."""
    psql("SET client_min_messages = warning; DROP SCHEMA IF EXISTS sparse CASCADE; CREATE SCHEMA sparse")
    stem = os.path.join(os.path.abspath(folder), name, name + (".scaled" if name in SCALED else ""))
    for part in ("train", "test"):
        psql(f"""
            CREATE TEMP TABLE lines (line text);
            \\copy lines FROM PROGRAM 'gzip -dc "{stem}.{part}.svm.gz"' (FORMAT csv, DELIMITER E'\\x01', QUOTE E'\\x02')
            CREATE TABLE sparse.{part} AS SELECT (sparselin_libsvm(line)).* FROM lines""")
    counts = psql("SELECT count(*) FROM sparse.train; "
                  "SELECT count(DISTINCT index) FROM sparse.train, sparsearray_entries(features)").split()
    return [int(count) for count in counts]


def grid(learner, options):
    """For each of the options: weights left, test accuracy in percent, the options."""
    values = ", ".join(f"({number}, 'epochs={EPOCHS} resumable=false {option}'::sparselin_options)"
                       for number, option in enumerate(options))
    lines = psql(f"""
        CREATE TEMP TABLE models AS
        SELECT number, model FROM (VALUES {values}) AS grid (number, options),
             LATERAL (SELECT {learner}_train(features, label, options) AS model FROM sparse.train) AS trained;
        SELECT number, nonzero, accuracy FROM models, sparselin_info(model),
             LATERAL (SELECT 100 * avg((sparselin_classify(model, features) = label)::int) AS accuracy
                      FROM sparse.test) AS tested""").splitlines()
    results = []
    for number, nonzero, accuracy in map(str.split, lines):
        results.append((int(nonzero), float(accuracy), options[int(number)]))
    return results


def strengths(low, high):
    return [f"{10 ** (low + i / STEPS_PER_POWER):.2g}" for i in range((high - low) * STEPS_PER_POWER + 1)]


def main(folder, names):
    print(f"{'set':10} {'features':>8} {'accuracy':>8}  {'method':22} {'weights':>7} {'of all':>8} {'accuracy':>8}  "
          "options")
    for name in names:
        rows, features = load(folder, name)
        full = max(accuracy for _, accuracy, _ in grid("truncated", [f"eta0={eta0} {WITHOUT}" for eta0 in ETA0]))
        for method, (learner, pattern, low, high) in METHODS.items():
            options = [f"eta0={eta0} {pattern.format(rows=rows)}{strength}"
                       for eta0 in ETA0 for strength in strengths(low, high)]
            good = [(nonzero, -accuracy, option) for nonzero, accuracy, option in grid(learner, options)
                    if accuracy >= full - POINTS - 1e-9]
            if good:
                nonzero, accuracy, option = min(good)
                print(f"{name:10} {features:8} {full:8.2f}  {method:22} {nonzero:7} {100 * nonzero / features:6.1f} %"
                      f" {-accuracy:8.2f}  {option}", flush=True)
            else:
                print(f"{name:10} {features:8} {full:8.2f}  {method:22} {'none is within a point':>22}", flush=True)
    psql("SET client_min_messages = warning; DROP SCHEMA sparse CASCADE")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2:] or SETS)
