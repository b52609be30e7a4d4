"""Learns the files of a folder as a Spark stream, one per batch, and may die in the middle of it.

    python killed_stream.py FOLDER [BATCH]

It prints a line when a batch arrives and one when it is added to the model, and waits for more files. If BATCH is
given, it kills itself and Spark when this batch is in the model, before Spark knows that the batch is done.
"""

import json
import os
import signal
import sys
from pathlib import Path

import numpy as np
from test_spark import session

import roipca.spark

FEATURES = 12
OPTIONS = {"method": "roipca", "oversampling": 3}  # given, so that a partition is fitted as OnlinePCA fits it


def rows_of(number, count=40):
    """Returns the rows of a file."""
    rng = np.random.default_rng(number)
    return number + rng.standard_normal((count, FEATURES)) * np.linspace(5, 1, FEATURES)


def write(folder, number, rows):
    """Writes a file at once. Files have times a second apart, because Spark reads them in the order of their times."""
    hidden = Path(folder, "rows", f".{number}")
    hidden.parent.mkdir(exist_ok=True)
    hidden.write_text("".join(json.dumps({"x": row}) + "\n" for row in np.asarray(rows).tolist()))
    os.utime(hidden, (1_700_000_000 + number,) * 2)
    hidden.rename(Path(folder, "rows", f"{number}.json"))


def learner(folder):
    return roipca.spark.StreamingPCA(Path(folder, "model.safetensors"), "x", 2, **OPTIONS)


def stream(spark, folder, learn):
    rows = spark.readStream.schema("x array<double>").option("maxFilesPerTrigger", 1).json(str(Path(folder, "rows")))
    return rows.writeStream.foreachBatch(learn).option("checkpointLocation", str(Path(folder, "checkpoint")))


def die():
    os.killpg(0, signal.SIGKILL)


def main(folder, last=None):
    learn = learner(folder)

    def watched(batch, batch_id):
        print(f"delivered {batch_id}", flush=True)
        learn(batch, batch_id)
        if last is not None and batch_id == int(last):
            die()
        print(f"added {batch_id}", flush=True)

    quick_start = {"spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1"}
    stream(session("local[2]", **quick_start), folder, watched).start().awaitTermination()


if __name__ == "__main__":
    main(*sys.argv[1:])
