#!/usr/bin/python3
"""memory.py: how much memory training takes, in the database that PGHOST and the rest lead to.

Each figure is the growth of the backend's private memory (RssAnon: without shared buffers and files) above what the same
scan takes, at its highest, as seen every few milliseconds. Exit status 1 when one is above its bound.
"""
import subprocess
import sys
import threading
import time

KB, MB = 1024, 1024 * 1024


class Session:
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

    def private_bytes(self):
        with open(f"/proc/{self.backend}/status") as file:
            return next(int(line.split()[1]) * KB for line in file if line.startswith("RssAnon"))


def highest(query, settings):
    """The private memory of a fresh backend at its highest while the query runs."""
    session = Session()
    session.run("SET max_parallel_workers_per_gather = 0; SET jit = off; " + settings)
    seen = [session.private_bytes()]
    over = threading.Event()

    def watch():
        while not over.is_set():
            seen.append(session.private_bytes())
            time.sleep(0.003)

    watcher = threading.Thread(target=watch)
    watcher.start()
    session.run(query)
    over.set()
    watcher.join()
    session.end()
    return max(seen)


STREAM = "'loss=hinge lambda=1e-5 epochs=1 sampling=sequential step_offset=10'"

MANY_GROUPS = """SELECT g, (i % 2 * 2 - 1)::float8 AS label,
    sparsearray(ARRAY[1 + (g + i) % 50, 60 + (g + 3 * i) % 50, 200 + i % 2]::bigint[], '{1,2,3}'::float8[]) AS features
    FROM generate_series(1, 500) i, generate_series(1, 20000) g"""


class Case:
    def __init__(self, name, rows, training, settings, bound, groups=1):
        self.name, self.rows, self.training, self.settings = name, rows, training, settings
        self.bound, self.groups = bound, groups

    def query(self, aggregate):
        return f"SELECT sum(pg_column_size(m)) FROM (SELECT {aggregate} AS m FROM memory_rows GROUP BY g) s"

    def run(self):
        maker = Session()
        maker.run(f"SET client_min_messages = warning; DROP TABLE IF EXISTS memory_rows; CREATE TABLE memory_rows AS {self.rows}; ANALYZE memory_rows")
        without = highest(self.query("count(features)"), self.settings)
        grown = (highest(self.query(self.training), self.settings) - without) / self.groups
        maker.run("DROP TABLE memory_rows")
        maker.end()
        return grown


CASES = [
    Case("100,000 features scattered over 2^31, a streaming call",
         """SELECT 1 AS g, (row % 2 * 2 - 1)::float8 AS label, sparsearray_agg(index, 1) AS features
            FROM (SELECT DISTINCT i / 100 AS row, 1 + i * 2654435761 % 2147483647 AS index
                  FROM generate_series(1::bigint, 100000) i) s GROUP BY row""",
         f"asgd_train(features, label, {STREAM})", "SET work_mem = '1GB'", 16 * MB),
    Case("20,000 groups of 10 features, streaming; each group",
         """SELECT g, (i % 2 * 2 - 1)::float8 AS label,
                sparsearray(ARRAY[i, i + 10, i + 100, i + 1000, i + 10000]::bigint[], '{1,2,3,4,5}'::float8[]) AS features
            FROM generate_series(1, 2) i, generate_series(1, 20000) g""",
         f"asgd_train(features, label, {STREAM})", "SET work_mem = '1GB'; SET enable_sort = off", 2.2 * KB, 20000),
    Case("20,000 groups of 500 rows, work_mem 4MB, all at once",
         MANY_GROUPS, "asgd_train(features, label, 'epochs=2')",
         "SET work_mem = '4MB'; SET hash_mem_multiplier = 1000; SET enable_sort = off", 100 * MB),
    Case("20,000 groups of 500 rows, work_mem 4MB, hashed",
         MANY_GROUPS, "asgd_train(features, label, 'epochs=2')",
         "SET work_mem = '4MB'; SET enable_sort = off", 100 * MB),
    Case("20,000 groups of 500 rows, work_mem 4MB, sorted",
         MANY_GROUPS, "asgd_train(features, label, 'epochs=2')",
         "SET work_mem = '4MB'; SET enable_hashagg = off", 100 * MB),
]


def main():
    broken = 0
    print(f"{'private memory above that of the same scan':55} {'measured':>12} {'at most':>12}")
    for case in CASES:
        grown = case.run()
        broken += grown > case.bound
        unit, name = (KB, "kB") if case.bound < MB else (MB, "MB")
        print(f"{case.name:55} {grown / unit:9.2f} {name} {case.bound / unit:9.2f} {name}   "
              f"{'pass' if grown <= case.bound else 'FAIL'}", flush=True)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
