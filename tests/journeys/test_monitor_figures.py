"""Every figure of the monitor, measured on the real engine, drawn and saved."""

from __future__ import annotations

import csv
from pathlib import Path

from tests.journeys.conftest import Person

QUESTION = "What is the capital of France?"


def test_two_questions_give_every_figure_over_time_and_in_the_saved_table(
    person: Person, shelf: Path, tmp_path: Path
) -> None:
    program = person.start_ready(shelf)
    for question in (QUESTION, "And of Italy?"):
        person.ask(question)
        person.wait_for_reply()
    log = program.monitoring.log
    person.wait(lambda: sum(each.prompt_tokens > 0 for each in log.kept) >= 2)
    program.window.show_page("monitor")
    person.wait(lambda: bool(program.monitoring.samples))
    page = program.window.parts.monitor
    page.show_figures()
    drawn = {name: chart.drawn for name, chart in page.charts.of.items()}
    assert all(any(points) for points in drawn.values()), drawn

    weights, cache, workspace = (points[-1][1] or 0 for points in drawn["model"])
    on_disk = shelf.stat().st_size
    assert 0.5 * on_disk < weights < 2 * on_disk, "what the file holds, as it is computed with"
    assert cache > 0
    assert workspace > 0
    memory = program.monitoring.memory
    assert memory is not None
    assert (weights, cache, workspace) == (memory.weights, memory.cache, memory.workspace)
    reused = [share for _, share in drawn["reuse"][0] if share]
    assert reused, "the second question begins as the first went"

    program.monitor_on_screen.write(tmp_path / "figures.csv")
    person.wait((tmp_path / "figures.csv").exists)
    with (tmp_path / "figures.csv").open(encoding="utf-8", newline="") as file:
        last = list(csv.DictReader(file))[-1]
    assert [float(last[f"{part}_bytes"]) for part in ("weight", "cache", "workspace")] == [
        weights, cache, workspace
    ]  # fmt: skip

    program.model.unload()
    person.wait(lambda: program.monitoring.samples[-1].model is None)
    page.show_figures()
    assert [points[-1][1] for points in page.charts.of["model"].drawn] == [0, 0, 0]
