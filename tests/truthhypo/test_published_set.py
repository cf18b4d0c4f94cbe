"""The published set: it loads, and the probe finds its known leaks."""

import re

import pytest

from truthhypo.bench import giveaways
from truthhypo.hypotheses import dataset, leaks
from truthhypo.hypotheses.partition import TABLE_1
from truthhypo.hypotheses.tasks import question
from truthhypo.hypotheses.traits import Known, read_species

_QUESTION = re.compile(r"between \w+ (.*) \([^()]*\) and \w+ (.*) \([^()]*\)\? The final")


@pytest.fixture(scope="module")
def published(data):
    return dataset.read(data / "truthhypo" / "edges_test.tsv")


@pytest.fixture(scope="module")
def known(data, published) -> Known:
    names = {}
    for each in published:
        names[each.x_id], names[each.y_id] = _QUESTION.search(each.question).groups()
    return Known(names=names, species=read_species(data / "genes" / "Homo_sapiens.gene_info.gz"))


def test_the_set_loads_with_the_counts_of_table_1(published):
    counted = {
        task: {label: sum((i.rel_type, i.relation) == (task, label) for i in published) for label in labels}
        for task, labels in TABLE_1.items()
    }
    assert counted == TABLE_1


def test_the_set_is_written_as_published_and_our_questions_equal_its_own(data, published, tmp_path):
    table, _ = dataset.write(tmp_path, published)
    assert table.read_bytes() == (data / "truthhypo" / "edges_test.tsv").read_bytes()
    for each in published:
        x_name, y_name = _QUESTION.search(each.question).groups()
        assert question(each.x_id, each.y_id, x_name, y_name) == each.question


def test_the_order_of_ids_and_the_species_reveal_the_labels(published, known):
    found = leaks.rules(published, known)
    assert found.same_type_pairs == {"related": 365, "no_relation": 182}
    assert found.in_order == {"related": 365, "no_relation": 93}
    assert round(found.no_human_gene, 3) == 0.755


@pytest.mark.slow
def test_trivial_features_alone_predict_the_labels(published, known):
    probes = {probe.task: probe for probe in leaks.probe(published, known)}
    assert all(probe.leaks for probe in probes.values())
    everything = probes[leaks.ALL]
    assert everything.auroc["gradient_boosting"].value > 0.97
    assert everything.accuracy["gradient_boosting"].value > 0.92
    assert giveaways.relation_accuracy({"probe": [probe.to_dict() for probe in probes.values()]}) > 0.67
