"""Results as one JSON document (schema anabranch/bench/1, in docs/reference/results.md)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from datetime import datetime, timezone
from typing import Any

from anabranch import _core as core
from anabranch.arrivals import Pattern
from anabranch.bench import limits
from anabranch.bench.arrival_cells import arrival_cell
from anabranch.bench.functions import collective_of, needs_all_of
from anabranch.bench.launches import Launch
from anabranch.bench.pairs import ratio_of_pairs
from anabranch.bench.statistics import Summary, median, summarize

SCHEMA = "anabranch/bench/1"
Document = dict[str, Any]


def assemble(
    launches: Sequence[Launch],
    environment: Document,
    begin_s: float,
    *,
    is_interrupted: bool = False,
) -> Document:
    """The document for these launches, made at `begin_s` (seconds since 1970)."""
    patterns = _patterns(launches)
    samples = [
        sample
        for index, launch in enumerate(launches)
        for sample in _samples(index, launch, patterns)
    ]
    links = _links(launches)
    return {
        "schema": SCHEMA,
        "collective": launches[0].measurement.function,
        "date": datetime.fromtimestamp(begin_s, timezone.utc).isoformat(timespec="seconds"),
        "interrupted": is_interrupted,
        "environment": environment,
        "launches": [_launch(launch) for launch in launches],
        "links": links,
        "patterns": [pattern.as_document() for pattern in patterns],
        "cells": _cells(launches, samples, links, patterns),
        "samples": samples,
    }


def _launch(launch: Launch) -> Document:
    measurement, contender = launch.measurement, launch.contender
    return {
        "contender": contender.name,
        "mpi": contender.installation.kind,
        "mpi_version": launch.start["mpi_version"],
        "preload": contender.preload,
        "environment": contender.environment,
        "block": launch.block,
        "measurement": measurement.as_document(),
        "hosts": launch.start["hosts"],
        "peer_rank": launch.start["peer_rank"],
        "compiler": launch.start["compiler"],
        "clock": {
            "kind": launch.start["clock"],
            "error_bound_s": 0.0
            if launch.start["clock"] == "shared"
            else launch.clocks.error_bound_s,
            "readings": [asdict(reading) for reading in launch.readings],
        },
    }


def _patterns(launches: Sequence[Launch]) -> list[Pattern]:
    """Each arrival pattern once, by process count and kind."""
    own = (p for launch in launches for point in launch.measurement.points for p in point.patterns)
    return list(dict.fromkeys(own))


def _samples(index: int, launch: Launch, patterns: Sequence[Pattern]) -> Iterable[Document]:
    """Times in seconds after the agreed start, on rank 0's clock; rounded to nanoseconds."""
    clocks = launch.clocks
    own = [pattern for point in launch.measurement.points for pattern in point.patterns]
    places = {pattern: place for place, pattern in enumerate(patterns)}
    for event in launch.events:
        if event["event"] != "sample":
            continue
        start_s = event["start_s"]
        arrival_s, exit_s = (
            [round(t - start_s, 9) for t in clocks.corrected_s(event[which], start_s)]
            for which in ("arrival_s", "exit_s")
        )
        sample = {
            "launch": index,
            "size_bytes": event["size_bytes"],
            "buffer_bytes": event["buffer_bytes"],
            "algorithm": event["algorithm"],
            "repetition": event["repetition"],
            "pattern": places[own[event["pattern"]]] if "pattern" in event else None,
            "ran": event["ran"],
            "start_s": start_s,
            "delay_s": event.get("delay_s"),
            "arrival_s": arrival_s,
            "exit_s": exit_s,
            "completion_s": round((max(exit_s) - max(arrival_s)) / launch.measurement.calls, 9),
        }
        if "global_bytes" in event:
            sample["global_bytes"] = event["global_bytes"]
        yield sample


def _message_times(launches: Sequence[Launch]) -> dict[str, dict[int, list[float]]]:
    """Seconds by kind (one_way, half_round_trip) and size, of the launches of one contender."""
    found: dict[str, dict[int, list[float]]] = {"one_way": {}, "half_round_trip": {}}
    for launch in launches:
        clocks = launch.clocks
        for event in launch.events:
            if event["event"] == "message":
                shift_s = clocks.offset_s(event["dst_rank"], event["start_s"])
                end_s = max(event["sent_s"], event["received_s"] + shift_s)
                times = found["one_way"].setdefault(event["size_bytes"], [])
                times.append(round(end_s - event["start_s"], 9))
            elif event["event"] == "round_trip":
                times = found["half_round_trip"].setdefault(event["size_bytes"], [])
                times.append(round(event["duration_s"] / 2, 9))
    return found


def _links(launches: Sequence[Launch]) -> list[Document]:
    """Between rank 0 and its peer: one entry for each process count and contender."""
    links = []
    for ranks, name in dict.fromkeys((x.measurement.ranks, x.contender.name) for x in launches):
        own = [x for x in launches if (x.measurement.ranks, x.contender.name) == (ranks, name)]
        times = _message_times(own)
        one_way = {size: median(values) for size, values in times["one_way"].items()}
        longer = {size: time_s for size, time_s in one_way.items() if size > 1}
        links.append(
            {
                "ranks": ranks,
                "contender": name,
                "latency_s": one_way[1],
                "half_round_trip_latency_s": median(times["half_round_trip"][1]),
                "time_per_byte_s": limits.fit_time_per_byte_s(one_way[1], longer),
                "messages": [
                    {
                        "size_bytes": size,
                        "one_way": asdict(summarize(values)),
                        "half_round_trip": asdict(summarize(times["half_round_trip"][size])),
                        "one_way_samples_s": values,
                        "half_round_trip_samples_s": times["half_round_trip"][size],
                    }
                    for size, values in sorted(times["one_way"].items())
                ],
            }
        )
    return links


def _cells(
    launches: Sequence[Launch],
    samples: Sequence[Document],
    links: Sequence[Document],
    patterns: Sequence[Pattern],
) -> list[Document]:
    """One cell for each process count, size, kind of arrivals, contender and algorithm."""
    grouped: dict[tuple[Any, ...], list[Document]] = {}
    for sample in samples:
        launch = launches[sample["launch"]]
        kind = None if sample["pattern"] is None else patterns[sample["pattern"]].kind
        key = (launch.measurement.ranks, launch.measurement.root, sample["size_bytes"], kind)
        grouped.setdefault((*key, launch.contender.name, sample["algorithm"]), []).append(sample)
    cells = []
    for (*place, contender, algorithm), own in grouped.items():
        ranks, root, size, kind = place
        function = launches[0].measurement.function
        buffer_bytes = own[0]["buffer_bytes"]
        reference = _reference(links, function, ranks, size, buffer_bytes)
        summary = summarize([sample["completion_s"] for sample in own])
        native = []
        if algorithm != "native":
            native = grouped.get((*place, contender, "native"), [])
        at = None
        if kind is not None:
            to_all = needs_all_of(function)
            message_s = reference["message_s"]
            at = arrival_cell(kind, own, native, root, message_s, is_to_all=to_all)
        cells.append(
            {
                "ranks": ranks,
                "root": root,
                "size_bytes": size,
                "buffer_bytes": buffer_bytes,
                "contender": contender,
                "algorithm": algorithm,
                "ran": sorted({sample["ran"] for sample in own}),
                "ended_by": _ended_by(launches, own, size, kind),
                "completion": asdict(summary),
                **reference,
                **_relative(summary, reference),
                "speedup_over_native": ratio_of_pairs(native, own),
                "traffic": _traffic(launches, own, size, algorithm),
                **_global_bytes(own),
                "arrivals": at,
            }
        )
    return cells


def _ended_by(
    launches: Sequence[Launch], own: Sequence[Document], size: int, kind: str | None
) -> list[str]:
    indexes = dict.fromkeys(sample["launch"] for sample in own)
    return [
        event["ended_by"]
        for index in indexes
        for event in launches[index].events
        if event["event"] == "size"
        and event["size_bytes"] == size
        and (kind is None or launches[index].measurement.points[event["point"]].kind == kind)
    ]


def _traffic(
    launches: Sequence[Launch], own: Sequence[Document], size: int, algorithm: str
) -> Document | None:
    """What a call puts on the wire; None where it was not counted."""
    counted = [
        event
        for index in dict.fromkeys(sample["launch"] for sample in own)
        for event in launches[index].events
        if event["event"] == "traffic"
        and (event["size_bytes"], event["algorithm"]) == (size, algorithm)
    ]
    if not counted:
        return None
    per_call = [event["sent_bytes"] / event["calls"] for event in counted]
    return {
        "calls": sum(event["calls"] for event in counted),
        "sent_bytes": median(per_call),
        "sent_bytes_samples": per_call,
    }


def _global_bytes(own: Sequence[Document]) -> Document:
    """Between groups of nodes in a call; nothing where the samples do not say."""
    counted = [sample["global_bytes"] for sample in own if "global_bytes" in sample]
    return {"global_bytes": median(counted)} if counted else {}


def _reference(
    links: Sequence[Document], function: str, ranks: int, size: int, buffer_bytes: int
) -> Document:
    """T and the limits: those of the first contender, the same for all, so that times compare."""
    link = next(link for link in links if link["ranks"] == ranks)
    message = next(m for m in link["messages"] if m["size_bytes"] == size)
    message_s = message["one_way"]["median"]
    latency_s, per_byte_s = link["latency_s"], link["time_per_byte_s"]
    collective = collective_of(function)
    is_one_message = collective in (core.Collective.bcast, core.Collective.reduce)
    return {
        "message_s": message_s,
        "limit_s": limits.limit_s(ranks, buffer_bytes, latency_s, per_byte_s, collective),
        "round_optimal_s": limits.round_optimal_s(ranks, message_s, latency_s)
        if is_one_message
        else None,
    }


def _relative(summary: Summary, reference: Document) -> Document:
    return {
        "over_message": summary.median / reference["message_s"],
        "over_limit": summary.median / reference["limit_s"],
        "over_round_optimal": reference["round_optimal_s"]
        and summary.median / reference["round_optimal_s"],
    }
