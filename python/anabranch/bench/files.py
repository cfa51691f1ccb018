"""Writing results: JSON, CSV, and files that are there whole or not at all."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from anabranch import files
from anabranch.bench.arrival_cells import sample_metrics
from anabranch.bench.errors import BenchError
from anabranch.bench.functions import needs_all_of

Document = dict[str, Any]
CSV_COLUMNS = (
    *(
        "ranks",
        "root",
        "size_bytes",
        "buffer_bytes",
        "contender",
        "algorithm",
        "launch",
        "block",
        "repetition",
    ),
    *("ran", "completion_s", "start_spread_s", "message_s", "limit_s", "round_optimal_s"),
)
GLOBAL_CSV_COLUMNS = ("global_bytes",)
ARRIVAL_CSV_COLUMNS = (
    *("arrivals", "pattern", "average_per_node_s", "worst_per_node_s", "ideal_s"),
)


def csv_columns(document: Document) -> tuple[str, ...]:
    has_global = any("global_bytes" in sample for sample in document["samples"])
    return (
        CSV_COLUMNS
        + (GLOBAL_CSV_COLUMNS if has_global else ())
        + (ARRIVAL_CSV_COLUMNS if document["patterns"] else ())
    )


def csv_rows(document: Document) -> Iterable[dict[str, Any]]:
    """One row for each sample; the columns are those of `csv_columns`."""
    references_of_cell = ("message_s", "limit_s", "round_optimal_s")
    references = {(c["ranks"], c["root"], c["size_bytes"]): c for c in document["cells"]}
    for sample in document["samples"]:
        launch = document["launches"][sample["launch"]]
        measurement = launch["measurement"]
        cell = references[measurement["ranks"], measurement["root"], sample["size_bytes"]]
        row = {
            **{name: measurement[name] for name in ("ranks", "root")},
            **{name: launch[name] for name in ("contender", "block")},
            **{name: sample[name] for name in ("size_bytes", "buffer_bytes", "algorithm")},
            **{name: sample[name] for name in ("launch", "repetition")},
            **{name: sample[name] for name in ("ran", "completion_s")},
            "start_spread_s": round(max(sample["arrival_s"]) - min(sample["arrival_s"]), 9),
            **{name: cell[name] and round(cell[name], 9) for name in references_of_cell},
        }
        row.update({name: sample[name] for name in GLOBAL_CSV_COLUMNS if name in sample})
        if sample["pattern"] is not None:
            to_all = needs_all_of(measurement["function"])
            metrics = sample_metrics(
                sample, measurement["root"], cell["message_s"], is_to_all=to_all
            )
            row["arrivals"] = document["patterns"][sample["pattern"]]["kind"]
            row["pattern"] = sample["pattern"]
            row.update({name: round(value, 9) for name, value in metrics.items()})
        yield row


def write_json(document: Document, path: Path) -> None:
    write_whole(path, (json.dumps(document, indent=1) + "\n").encode())


def write_csv(document: Document, path: Path) -> None:
    stream = io.StringIO(newline="")
    writer = csv.DictWriter(stream, csv_columns(document), lineterminator="\n")
    writer.writeheader()
    writer.writerows(csv_rows(document))
    write_whole(path, stream.getvalue().encode())


def write_whole(path: Path, data: bytes) -> None:
    """Writes a file that is there whole or not at all; raises BenchError where it cannot be."""
    try:
        files.write_whole(path, data)
    except OSError as error:
        raise BenchError(f"cannot write '{path}': {error.strerror}", is_input=False) from error
