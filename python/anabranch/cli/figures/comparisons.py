"""Old algorithms against new ones: the figures of papers D (switched) and C (nodes)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from anabranch.cli.errors import reported
from anabranch.cli.figures.run import FigureRun, command, console, wrong
from anabranch.cli.output import say_written
from anabranch.experiments.figures import parse_figures
from anabranch.experiments.tables import print_table


def carry_out_switched(run: FigureRun) -> None:
    from anabranch.experiments import switched

    with reported(*wrong()):
        wanted = parse_figures(run.figures, switched.figures(run.usual_ranks))
        for figure in wanted:
            switched.all_measurements(figure, run.extent)
    _compare("switched", switched, wanted, run)


def carry_out_nodes(run: FigureRun, calls: int | None) -> None:
    """On the paper's own numbers of processes, and a node, where they are simulated."""
    from anabranch.experiments import nodes, nodes_counts

    per_node = None
    if run.cluster is not None:
        per_node = nodes.RANKS_PER_NODE if run.ranks_per_node is None else run.ranks_per_node
        usual = max(nodes.POWERS) if run.is_full else nodes.FAST_RANKS
        ranks = usual if run.ranks is None else run.ranks
        run = replace(run, ranks=ranks, ranks_per_node=per_node)
    with reported(*wrong()):
        known: dict[str, Any] = dict(nodes.figures(run.usual_ranks, per_node, calls))
        wanted = parse_figures(run.figures, {**known, nodes_counts.NAME: None})
        for figure in wanted:
            if figure is not None:
                nodes.all_measurements(figure, run.extent)
    if None in wanted and run.lab is None:
        table = nodes_counts.table(command())
        run.write_tables(lambda _: [table])
        print_table(table, console())
    measured = [figure for figure in wanted if figure is not None]
    if measured:
        _compare("nodes", nodes, measured, run)


def _compare(study: str, module: Any, wanted: Sequence[Any], run: FigureRun) -> None:
    from anabranch.experiments import comparison_table

    with reported(*wrong()):
        work = [
            (figure, contender)
            for figure in wanted
            for contender in run.contenders(figure.algorithms)
        ]
        measure = run.measuring()
    if not run.is_full:
        print("Few points and samples, enough to see the shapes: --full for figures to quote.")
    shown = console()
    for figure, contender in work:
        shown.print(f"Figure {figure.name}, {figure.title}")
        with reported(*wrong(), exit_code=1):
            asked = module.all_measurements(figure, run.extent)
            document = run.kept(figure.name, contender, measure, module.results_of, asked)
            if document is None:
                document = module.carry_out(figure, contender, measure, run.extent)
            module.write(document, run.folder)
            run.write_tables(lambda text, own=document: module.tables_of(own, text))
        comparison_table.PRINTED[study](document, shown)
        measure.end_if_interrupted(run.folder)
    say_written([run.folder])
