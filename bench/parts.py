#!/usr/bin/python3
"""parts.py DATA [SET...]: what it costs to learn in parts. What sparselin_refine gives back is for refine.py.

For each data set of two classes under the folder DATA, in the database that PGHOST and the rest lead to, its training rows
in random order and dealt out to 1, 2, 8 and 32 parts: accuracy on the test rows, in percent, of the mean of a model a part,
by casgd_train, by asgd_train as rows arrive, and by onepass_train.
"""
import sys

from quality import DataSet, psql

SETS = ["rt_polarity", "sms_spam", "w7a", "a9a"]
PARTS = [1, 2, 8, 32]
CALLS = [("casgd_train, a model a part", "casgd_train(features, label ORDER BY id)"),
         ("asgd_train, as rows arrive",
          "asgd_train(features, label, sparselin_options(lambda => {lambda_}, epochs => 1, sampling => 'sequential') ORDER BY id)"),
         ("onepass_train", "onepass_train(features, label ORDER BY id)")]
SETTINGS = "SET client_min_messages = warning; SET work_mem = '1GB'; SET max_parallel_workers_per_gather = 0;"


def load(folder, name):
    """Rows in random order, the same each time."""
    DataSet(folder, name).load()
    for part in ("train", "test"):
        psql(f"""{SETTINGS} DROP TABLE IF EXISTS {part};
            CREATE TABLE {part} AS SELECT row_number() OVER (ORDER BY hashint8(n), n) AS id, features, label
            FROM (SELECT features, label, row_number() OVER () AS n FROM quality.{part}) AS numbered""")
    return int(psql("SELECT count(*) FROM train"))


def accuracies(call, rows, parts):
    train = call.format(lambda_=repr(parts / rows))
    return 100 * float(psql(f"""{SETTINGS}
        CREATE TEMP TABLE mean AS SELECT sparselin_merge(model ORDER BY part) AS model
        FROM (SELECT id % {parts} AS part, {train} AS model FROM train GROUP BY 1) AS parts;
        SELECT (sparselin_evaluate(model, features, label)).accuracy FROM mean, test""").split()[-1])


def main(folder, names):
    for name in names:
        rows = load(folder, name)
        print(f"{name}, {rows} rows: accuracy of the mean of so many models")
        print(f"  {'parts':28}" + "".join(f"{parts:7}" for parts in PARTS))
        for title, call in CALLS:
            print(f"  {title:28}" + "".join(f"{accuracies(call, rows, parts):7.1f}" for parts in PARTS), flush=True)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2:] or SETS)
