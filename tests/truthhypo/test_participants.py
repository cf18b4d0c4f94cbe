"""The number of participants that an abstract states."""

import pytest

from truthhypo.service.participants import participants


@pytest.mark.parametrize(
    ("abstract", "number"),
    [
        ("n = 120 patients were treated.", 120),
        ("We enrolled 1,204 adults.", 1204),
        ("A total of 12 537 participants with dysglycaemia were randomized.", 12537),
        ("Three hundred and two children took part.", 302),
        ("One thousand two hundred forty-eight patients with fractures were reviewed.", 1248),
        ("Eight hundred and fifty-five pregnant women were randomized to two groups.", 855),
        ("We used a database of veterans (n = 192) who completed 12 sessions.", 192),
        ("METHODS: We enrolled 100 hypertensive patients (study group) and 30 normotensive subjects.", 130),
        ("Fourteen pre-menopausal and 16 post-menopausal women were included.", 30),
        ("METHODS: Medical records were reviewed for 90 of 107 women.", 90),
        ("RESULTS: Of 967 children admitted, 55 were included.", 55),
        (
            "METHODS: All patients seen from 2001 to 2004 were reviewed. RESULTS: There were 36 torsions in 34 children.",
            34,
        ),
        ("METHODS: The 100 patients were divided into 50 women and 50 men.", 100),
        ("BACKGROUND: It affects 5000 people. METHODS: We studied 20 twins.", 20),
        ("Six cases are followed up. The four patients examined again were cured.", 6),
        ("METHODS: Of the patients of the service, 450 (about 52%) were included.", 450),
        ("BACKGROUND: It affects 5000 people.", None),
        ("It affects 5 million people. We studied 1 patient.", None),
        ("RESULTS: The drug worked. Three patients (5%) died.", None),
        ("Twenty rats were fed for 30 days.", None),
        ("Biopsies were read by two pathologists and by 3 surgeons.", None),
        ("Patients aged 18 years were seen between 1998 and 2002.", None),
        ("", None),
    ],
)
def test_the_number_of_participants_is_read(abstract, number):
    assert participants(abstract) == number
