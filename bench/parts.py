#!/usr/bin/python3
"""parts.py DATA [SET...]: what it costs to learn in parts, and what sparselin_refine gives back.

For each data set under the folder DATA, in the database that PGHOST and the rest lead to, its training rows in random order
and dealt out to 1, 2, 8 and 32 parts: accuracy on the test rows, in percent, of the mean of a model a part, by
casgd_train, by asgd_train as rows arrive, and by onepass_train (of two classes). Then, of eight parts, the mean before and after
sparselin_refine beside casgd_train over all rows, with the scans that it took, and its F against that of casgd_train.
Exit status 1 when F ends above that of casgd_train, or accuracy more than half a point below.
"""
import sys

from quality import DataSet, psql
from text_classes import SETS as TEXTS, load as load_texts

SETS = ["rt_polarity", "sms_spam", "w7a", "a9a", "r8"]
PARTS = [1, 2, 8, 32]
CALLS = [("casgd_train, a model a part", "casgd_train(features, label ORDER BY id)"),
         ("asgd_train, as rows arrive",
          "asgd_train(features, label, sparselin_options(lambda => {lambda_}, epochs => 1, sampling => 'sequential') ORDER BY id)"),
         ("onepass_train", "onepass_train(features, label ORDER BY id)")]
MOST_POINTS_LOST = 0.5
SETTINGS = "SET client_min_messages = warning; SET work_mem = '1GB'; SET max_parallel_workers_per_gather = 0;"
OURS = "sparselin_features(to_tsvector('simple', body)) AS features, label"


def load(folder, name):
    """Rows in random order, the same each time."""
    if name in TEXTS:
        load_texts(folder, name)
    else:
        DataSet(folder, name).load()
    for part in ("train", "test"):
        source = f"SELECT {OURS} FROM classes.{part}" if name in TEXTS else f"SELECT features, label FROM quality.{part}"
        psql(f"""{SETTINGS} DROP TABLE IF EXISTS {part};
            CREATE TABLE {part} AS SELECT row_number() OVER (ORDER BY hashint8(n), n) AS id, features, label
            FROM (SELECT *, row_number() OVER () AS n FROM ({source}) AS source) AS numbered""")
    return int(psql("SELECT count(*) FROM train"))


def accuracies(call, rows, parts):
    train = call.format(lambda_=repr(parts / rows))
    return 100 * float(psql(f"""{SETTINGS}
        CREATE TEMP TABLE mean AS SELECT sparselin_merge(model ORDER BY part) AS model
        FROM (SELECT id % {parts} AS part, {train} AS model FROM train GROUP BY 1) AS parts;
        SELECT (sparselin_evaluate(model, features, label)).accuracy FROM mean, test""").split()[-1])


def refined(classes):
    """Scans, F over that of casgd_train over all rows, accuracy merged, refined, and of all rows."""
    known = ", classes => (SELECT array_agg(DISTINCT label) FROM train)" if classes else ""
    return [float(number) for number in psql(f"""{SETTINGS}
        CREATE TEMP TABLE whole AS SELECT casgd_train(features, label ORDER BY id) AS model FROM train;
        CREATE TEMP TABLE mean AS SELECT sparselin_merge(model ORDER BY part) AS model
        FROM (SELECT id % 8 AS part, casgd_train(features, label, sparselin_options(settle => false{known}) ORDER BY id) AS model
              FROM train GROUP BY 1) AS parts;
        CREATE TEMP TABLE refined AS
        SELECT r.* FROM mean, sparselin_refine(model, 'SELECT features, label, id % 8 AS part FROM train') AS r;
        SELECT scans, objective / (SELECT (sparselin_evaluate(model, features, label)).objective FROM whole, train) - 1,
               100 * (SELECT (sparselin_evaluate(model, features, label)).accuracy FROM mean, test),
               100 * (SELECT (sparselin_evaluate(refined.refined, features, label)).accuracy FROM test),
               100 * (SELECT (sparselin_evaluate(model, features, label)).accuracy FROM whole, test)
        FROM refined""").split()]


def main(folder, names):
    broken = 0
    for name in names:
        rows = load(folder, name)
        classes = name in TEXTS
        print(f"{name}, {rows} rows" + ("" if classes else ": accuracy of the mean of so many models"))
        if not classes:
            print(f"  {'parts':28}" + "".join(f"{parts:7}" for parts in PARTS))
        for title, call in [] if classes else CALLS:
            print(f"  {title:28}" + "".join(f"{accuracies(call, rows, parts):7.1f}" for parts in PARTS), flush=True)
        scans, F, merged, after, whole = refined(classes)
        good = F <= 0 and after >= whole - MOST_POINTS_LOST
        broken += not good
        print(f"  refined from 8: {scans:.0f} scans, F {100 * F:+.1f} %, accuracy merged {merged:.1f}, refined {after:.1f}, "
              f"all rows in one call {whole:.1f}   {'pass' if good else 'FAIL'}", flush=True)
    print("every bound is kept" if broken == 0 else f"{broken} sets break a bound")
    return 1 if broken else 0


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1], sys.argv[2:] or SETS))
