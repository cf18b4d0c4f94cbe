"""The scores of a run, as a narrow terminal shows them."""

from rich.console import Console

from truthhypo.faces.cli.bench_run import show

LONG = "huggingface:meta-llama/Llama-3.1-8B-Instruct-with-a-name-that-is-longer-than-the-terminal-is-wide[bold]"


def figure(value, low, high):
    return {"value": value, "low": low, "high": high}


def cell(model, setting, select):
    measures = {"link_f1_micro": figure(0.5123, 0.498, 0.527), "relation_accuracy_micro": figure(None, None, None)}
    named = {"dataset": "published-2024", "model": model, "setting": setting, "select": select, "task": "average"}
    return {**named, "n": 2024, "failed": 17, "measures": measures}


def test_names_and_figures_stand_whole_on_80_columns():
    cells = [cell(model, "parametric", "groundedness") for model in ("openai:small", LONG)]
    console = Console(width=80)
    with console.capture() as captured:
        show(console, {"cells": [*cells, {**cells[0], "task": "Gene & Gene"}], "warnings": ["[red] is not markup"]})
    told = captured.get().splitlines()
    assert f"{LONG}, on published-2024" in told
    assert sum("0.512 (0.498-0.527)" in line for line in told) == 2
    assert max(len(line) for line in told if LONG not in line) <= 80
    assert all(words in captured.get() for words in ("parametric", "groundedness", "2024", "warning: [red] is not"))
