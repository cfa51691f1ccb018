"""Bytes on the wire, as `anabranch bench --traffic` counts them."""

from __future__ import annotations

import json
import sys

KIB = 1024


def test_traffic_is_what_the_schedule_sends(lab_command, run_command, mpich, tmp_path):
    """With headers and acknowledgements, which are a few percent; nothing within a node."""
    path = tmp_path / "results.json"
    bench = [
        sys.executable,
        "-m",
        "anabranch",
        "bench",
        "bcast",
        "-n",
        "4",
        "--sizes",
        "256KiB",
    ]
    options = ["--algorithms", "bcast/flat", "--repetitions", "1", "--traffic", "2"]
    written = ["--json", str(path)]
    for per_node, messages in ((1, 3), (2, 2)):
        lab = [*lab_command, "--nodes", "4", "--rate", "400mbit", "--"]
        done = run_command([*lab, *bench, *options, *written, "--ppn", str(per_node)])
        assert done.returncode == 0, done.stderr
        (cell,) = json.loads(path.read_text())["cells"]
        assert len(cell["traffic"]["sent_bytes_samples"]) == 3
        payload = messages * 256 * KIB
        assert payload <= cell["traffic"]["sent_bytes"] <= 1.2 * payload
