"""Learning from the micro-batches of a structured stream. `roipca.spark` shows it as StreamingPCA."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from . import spark
from ._model_file import load_model, save_model
from ._partitions import Recipe
from ._types import ComponentNumber
from .online_pca import OnlinePCA

# Stored with the parameters in the model file; OnlinePCA.load ignores them.
_BATCH, _QUERY = "spark_batch", "spark_query"


class StreamingPCA:
    """Learns a Spark stream: pass it to `foreachBatch`, and it adds each micro-batch to a model file.

    The file also contains the number of the last batch, and is replaced as a whole. So a batch that Spark delivers
    twice, after a failure, counts once, and after a restart the stream continues with the same bits. A batch is fitted
    and merged on the executors, as by `roipca.spark.fit`. A batch without rows is not an error.

    Parameters
    ----------
    path : str or path
        The model file, in a folder that lasts as long as the checkpoint of the stream, and that the driver can still
        reach after a restart. `OnlinePCA.load` and the command line read it at any time.
    columns : list of str, or str
        As for `fit`.
    n_components : int, float, "auto" or None, default=None
        As in `OnlinePCA`.
    sample_weight : str, default=None
        The column with the weights of the rows. None means 1 for each row.
    **options
        Other parameters of `OnlinePCA`, except `forgetting` and `window`.

    Examples
    --------
    >>> import os, tempfile
    >>> from pyspark.sql import SparkSession
    >>> import roipca.spark
    >>> spark = SparkSession.builder.getOrCreate()
    >>> folder = tempfile.mkdtemp()
    >>> df = spark.range(100).selectExpr("double(id) AS x", "double(-2 * id) AS y")
    >>> df.write.parquet(os.path.join(folder, "rows"))
    >>> rows = spark.readStream.schema(df.schema).parquet(os.path.join(folder, "rows"))
    >>> learner = roipca.spark.StreamingPCA(os.path.join(folder, "model.safetensors"), ["x", "y"], 1)
    >>> stream = rows.writeStream.foreachBatch(learner).option("checkpointLocation", os.path.join(folder, "checkpoint"))
    >>> stream.trigger(availableNow=True).start().awaitTermination()
    >>> learner.pca.mean_
    array([ 49.5, -99. ])
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        columns: str | Sequence[str],
        n_components: ComponentNumber = None,
        *,
        sample_weight: str | None = None,
        **options: Any,
    ) -> None:
        self._path = os.path.abspath(path)
        self._columns = columns if isinstance(columns, str) else list(columns)
        self._sample_weight = sample_weight
        self._parameters = {"n_components": n_components, **options}
        Recipe.of(self._parameters, is_float32=False)  # refuses wrong parameters before the stream starts

    @property
    def pca(self) -> OnlinePCA | None:
        """The estimator of all batches so far, read from the file. None before the first rows."""
        return OnlinePCA.load(self._path) if os.path.exists(self._path) else None

    @property
    def last_batch(self) -> int | None:
        """The number of the last batch that counts. None before the first rows."""
        state = self._state()
        return None if state is None else state.batch

    def __call__(self, batch: Any, batch_id: int) -> None:
        """Adds the rows of a micro-batch, unless it was added before. `foreachBatch` calls it."""
        state = self._state()
        query = _query_of(batch)
        if state is not None:
            state.require_same_stream(self._path, query, batch_id)
            if batch_id <= state.batch:
                return
        rows, is_float32 = spark.chosen_rows(batch, self._columns, self._sample_weight)
        recipe = Recipe.of(self._parameters, is_float32)
        if state is not None:
            state.require_same_recipe(self._path, recipe)
        model = recipe.merge([None if state is None else state.model.to_bytes(), spark.fitted(rows, recipe)])
        if model is not None:
            names = None if isinstance(self._columns, str) else self._columns
            pca = recipe.finish(model, names)
            told = {**recipe.parameters, _BATCH: batch_id, _QUERY: query}
            save_model(pca._learned.core.model(), self._path, names or (), told)

    def _state(self) -> _State | None:
        if not os.path.exists(self._path):
            return None
        model = load_model(self._path)
        told = json.loads(model.parameters or "{}")
        if _BATCH not in told:
            raise ValueError(
                f"{self._path} is a model, but not that of a stream: choose another path, or remove the file"
            )
        return _State(model, told, told[_BATCH], told[_QUERY])


@dataclass
class _State:
    """The contents of the file: the model of all batches up to the last one, and how it was learned."""

    model: Any
    parameters: dict[str, Any]
    batch: int
    query: str | None

    def require_same_stream(self, path: str, query: str | None, batch_id: int) -> None:
        """Raises unless the batch follows those of the model, or is one of them."""
        if query != self.query:
            raise ValueError(
                f"{path} was learned from the stream {self.query}, and this is {query}: begin with the checkpoint of "
                "that stream, or with another path"
            )
        if batch_id > self.batch + 1:
            raise ValueError(
                f"{path} ends with batch {self.batch}, and this is batch {batch_id}: those between are missing. Is the "
                "file older than the checkpoint?"
            )

    def require_same_recipe(self, path: str, recipe: Recipe) -> None:
        """Raises if the model was learned with other parameters."""
        for name, value in recipe.parameters.items():
            if name != "whiten" and self.parameters.get(name, value) != value:  # whiten is for reading
                raise ValueError(
                    f"{path} was learned with {name}={self.parameters[name]!r}, not {value!r}: set it back, or choose "
                    "another path"
                )


def _query_of(batch: Any) -> str | None:
    """Returns the id of the stream, which its checkpoint keeps, or None if Spark does not provide it."""
    context = getattr(batch.sparkSession, "sparkContext", None)
    return None if context is None else context.getLocalProperty("sql.streaming.queryId")
