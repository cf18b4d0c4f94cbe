"""Words of everyday and of medicine for one thing, and words so common that sharing them says little. Data.

A person writes "Advil makes it worse", an abstract "ibuprofen exacerbates": without this table the two share nothing.
Concepts of the graph are linked by their own names; this is for claims between which no concept was found.
"""

#: One line a thing, as lemmas or as they are written.
_SAME = """
    covid covid-19 covid19 coronavirus coronaviruses corona sars-cov-2 sarscov2 sars2-cov-2 2019-ncov ncov
    death die died mortality fatal fatality deadly lethal lethality dead deceased
    drug medicine medication pharmaceutical meds med
    therapy treatment treat therapeutic cure remedy
    spread transmit transmission transmissible contagious contagion infectious infectivity
    child kid pediatric paediatric childhood
    elderly old aged geriatric
    ibuprofen advil motrin nsaid nsaids
    acetaminophen tylenol paracetamol
    heart cardiac cardiovascular myocardial
    lung pulmonary respiratory
    kidney renal nephropathy
    liver hepatic
    brain cerebral neurological
    stomach gastric
    bone skeletal osseous
    skin cutaneous dermal
    eye ocular ophthalmic
    blood haematological hematological plasma serum
    hypertension hypertensive
    cancer tumor tumour neoplasm carcinoma malignancy malignant
    dangerous severe severity serious critical critically
    worse worsen exacerbate exacerbation deteriorate deterioration aggravate
    tobacco smoking smoke smoker cigarette
    cannabis marijuana cannabinoid
    laboratory lab
    hospital hospitalization hospitalisation hospitalize hospitalise
    symptom symptomatic
    pregnant pregnancy maternal mother
    baby newborn neonate neonatal infant
    woman female
    man male
    vaccine vaccination vaccinate immunization immunisation
    obesity obese overweight
    diabetes diabetic
    diet nutrition food dietary nutrient
    prevent prevention protect protection protective preventive prophylaxis
    help benefit beneficial useful helpful improve improvement
    increase raise elevate rise elevation higher high
    decrease reduce lower reduction decline low
    risk likelihood odds susceptible susceptibility vulnerable
    kill inactivate inactivation
    fever febrile pyrexia
    clot thrombosis thrombotic thromboembolic thromboembolism
    stroke cerebrovascular
    cough coughing
    airborne aerosol air
    alcohol ethanol
    salt sodium
    sugar glucose
    shot injection
    myalgia myalgic
    infarction infarct
    dyspnea dyspnoea breathlessness breathless
    influenza flu
    hydroxychloroquine hcq
    chloroquine cq
    ultraviolet uv uvc uv-c
    sleepless insomnia
    itch pruritus
    tired fatigue tiredness
    """

#: Names of several words: of the thing that is the first word of its line above.
PHRASES = {
    "high blood pressure": "hypertension",
    "elevated blood pressure": "hypertension",
    "heart attack": "infarction",
    "blood sugar": "sugar",
    "blood clot": "clot",
    "body ache": "myalgia",
    "muscle pain": "myalgia",
    "shortness of breath": "dyspnea",
}

#: They stand in any abstract; to share one says a little.
_COMMON = """
    ability able account acute affect age analysis appear approach area article associate association available base
    become case cause cell change clinical common compare condition consider contain control country current currently
    data day decrease develop development different disease drug due effect effective evidence factor find first follow
    form function general get give group hand health high hospital human identify impact important include increase
    individual infection information involve key know lead level limit low main major make many material measure medical
    method model month need new number observe occur outbreak outcome pandemic part patient people period person
    population positive possible potential present prevent process provide public range rate recent relate report
    research respiratory response result review risk role sample see several severe show significant significantly
    specific spread state strategy study suggest syndrome system take term test think time transmission treat treatment
    trial type use various viral virus well work world year
    """

_ROWS = [row.split() for row in _SAME.strip().splitlines()]
#: From a word to the first word of its line.
SAME: dict[str, str] = {word: row[0] for row in _ROWS for word in row}
COMMON = frozenset(_COMMON.split())
#: The disease of nearly every pair in the sets that this was measured on: to share it says least.
PERVASIVE = frozenset({"covid"})
