"""The three tasks: which pairs, which labels."""

import pytest

from groundwork.errors import InputError
from truthhypo.hypotheses.tasks import task_of


def test_a_pair_has_one_task_whatever_its_order():
    task = task_of("Gene|1", "Chemical|MESH:D1")
    assert task == task_of("Chemical|MESH:D1", "Gene|1")
    assert (task.name, task.head, task.labels) == (
        "Chemical & Gene",
        "Chemical|MESH:D1",
        ("positive_correlate", "negative_correlate", "no_relation"),
    )


def test_disease_and_gene_have_labels_of_their_own():
    task = task_of("Gene|1", "Disease|MESH:D1")
    assert (task.label(1), task.label(-1)) == ("stimulate", "inhibit")


@pytest.mark.parametrize("pair", [("Chemical|A", "Disease|B"), ("Gene|1", "SNP|rs1"), ("Gene|1", "Gene|1")])
def test_another_pair_is_refused_naming_the_tasks(pair):
    with pytest.raises(InputError, match="Chemical & Gene, Disease & Gene, Gene & Gene"):
        task_of(*pair)
