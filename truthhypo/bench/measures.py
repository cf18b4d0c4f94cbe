"""Measures as data, and measures.json, which `bench rescore` makes anew from the records and the gold of a run.

    {"format": 1,
     "catalogue": [{"name", "range": [low, high], "better": "higher" | "lower", "meaning"}, ...],
     "cells": [{"dataset", "task", "model", "setting", "select", "judge",
                "n", "answered", "failed", "failed_share",
                "measures": {NAME: {"value", "low", "high", "n"}},
                "groundedness": {JUDGE: {SOURCE: {"value", "low", "high", "n", "coverage"}}}}, ...],
     "spent": [{"model", "records", "answered", "failed", "usage": {...}, "seconds", "judging_seconds"}, ...],
     "missing": {"records": n, "of": n},
     "warnings": ["...", ...]}

A cell is one line of a table: a task of a dataset (`average`: all its tasks together), a model, a setting, and a way to
select one of the samples: `greedy`, `majority`, or `groundedness` with the `judge` that chose (null with the others).
`n` are the instances that were asked, `failed` those without any answer: they are in no measure, and their share stands
beside. `value`, `low` and `high` are null where there is nothing to measure; low and high are the 95 % percentile
bootstrap over instances, and `n` of a measure are the instances it rests on. SOURCE is `graph`, `literature` or
`both`; groundedness is that of the selected answers, and `coverage` the share of them that could be judged.

In a task's cell `link_f1` and `relation_accuracy` stand by these names; in `average` each says which average it is:
`_micro` over all instances, `_macro` the mean of the tasks, `_weighted` the mean of the tasks by their asked instances.
`link_accuracy` in `average` is micro.
"""

FORMAT = 1
#: Task of the cell over all tasks of a dataset.
AVERAGE = "average"
