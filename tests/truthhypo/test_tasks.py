"""The pairs whose relation can be proposed, with their labels, and the three of them that the benchmark asks."""

import pytest

from groundwork.errors import InputError
from truthhypo.hypotheses.tasks import TASKS, task_of


def test_a_pair_has_one_task_whatever_its_order():
    task = task_of("Gene|1", "Chemical|MESH:D1")
    assert task == task_of("Chemical|MESH:D1", "Gene|1")
    assert (task.name, task.head, task.labels) == (
        "Chemical & Gene",
        "Chemical|MESH:D1",
        ("positive_correlate", "negative_correlate", "no_relation"),
    )


@pytest.mark.parametrize(
    ("pair", "labels"),
    [
        (("Gene|1", "Disease|MESH:D1"), ("stimulate", "inhibit", "no_relation")),
        (("Gene|1", "Gene|2"), ("positive_correlate", "negative_correlate", "no_relation")),
        (("Disease|MESH:D1", "Chemical|MESH:D2"), ("cause", "treat", "none")),
    ],
)
def test_the_types_of_a_pair_decide_its_labels(pair, labels):
    assert task_of(*pair).labels == labels


@pytest.mark.parametrize("pair", [("Chemical|A", "Chemical|B"), ("Gene|1", "SNP|rs1"), ("Gene|1", "Gene|1")])
def test_another_pair_is_refused_naming_the_pairs(pair):
    with pytest.raises(InputError) as refused:
        task_of(*pair)
    assert refused.value.wanted.endswith(": Chemical & Gene, Disease & Gene, Gene & Gene, Chemical & Disease")


def test_the_benchmark_has_three_tasks():
    with pytest.raises(InputError) as refused:
        task_of("Chemical|A", "Disease|B", tasks=TASKS)
    assert refused.value.wanted.endswith(": Chemical & Gene, Disease & Gene, Gene & Gene")
