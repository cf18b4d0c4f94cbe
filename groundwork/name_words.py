"""Word lists for names of diseases, chemicals and genes: synonyms, and words that may be left out."""

#: Words that mean the same in names of diseases and chemicals; the first of each group is MeSH's.
SAME: tuple[tuple[str, ...], ...] = (
    ("neoplasms", "neoplasm", "cancer", "cancers", "tumor", "tumors", "carcinoma", "malignancy", "malignancies"),
    ("kidney", "renal", "nephro"),
    ("liver", "hepatic"),
    ("heart", "cardiac", "myocardial"),
    ("lung", "pulmonary"),
    ("brain", "cerebral"),
    ("stomach", "gastric"),
    ("breast", "mammary"),
    ("skin", "cutaneous", "dermal"),
    ("bone", "skeletal", "osseous"),
    ("muscle", "muscular"),
    ("eye", "ocular"),
    ("ovarian", "ovary"),
    ("prostatic", "prostate"),
    ("uterine", "uterus", "endometrial"),
    ("pancreatic", "pancreas"),
    ("colonic", "colon"),
    ("colorectal", "bowel"),
    ("esophageal", "esophagus"),
    ("thyroid", "thyroidal"),
    ("vascular", "blood vessel"),
    ("nerve", "neural", "neuronal", "neurologic"),
    ("psychotic", "psychosis", "psychoses"),
    ("mental", "psychiatric"),
    ("diseases", "disease", "disorder", "disorders", "dysfunction", "damage", "injury", "injuries", "lesions", "lesion",
     "abnormalities", "abnormality", "impairment", "toxicity", "deficit", "deficits", "complications", "problems"),
    ("failure", "insufficiency"),
    ("hemorrhage", "bleeding", "hemorrhages"),
    ("pain", "ache", "aches"),
    ("thrombosis", "thrombus", "thrombotic"),
    ("infarction", "infarct", "infarcts"),
    ("seizures", "seizure", "convulsions", "convulsion", "fits"),
    ("arrest", "standstill"),
    ("low", "decreased", "reduced"),
    ("high", "increased", "elevated"),
    ("syndrome", "syndromes"),
    ("congenital", "hereditary", "familial", "inherited"),
    ("movement", "motor"),
    ("cognition", "cognitive"),
    ("memory", "amnestic"),
    ("dependence", "addiction", "abuse", "addicts"),
)  # fmt: skip
#: Endings of adjectives, and possible endings of the corresponding nouns.
NOUNS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("tensive", ("tension",)),
    ("tensives", ("tension",)),
    ("toxic", ("toxicity",)),
    ("betic", ("betes",)),
    ("betics", ("betes",)),
    ("phrenic", ("phrenia",)),
    ("phrenics", ("phrenia",)),
    ("leptic", ("lepsy",)),
    ("leptics", ("lepsy",)),
    ("lytic", ("lysis",)),
    ("rrhagic", ("rrhage",)),
    ("rrhythmic", ("rrhythmia",)),
    ("chemic", ("chemia",)),
    ("emic", ("emia",)),
    ("xic", ("xia",)),
    ("esic", ("esia",)),
    ("genic", ("genesis", "genicity")),
    ("pathic", ("pathy",)),
    ("trophic", ("trophy",)),
    ("plegic", ("plegia",)),
    ("algic", ("algia",)),
    ("kinetic", ("kinesia", "kinesis")),
    ("kinetics", ("kinesia",)),
    ("static", ("stasis",)),
    ("stases", ("stasis",)),
    ("static", ("stases",)),
    ("otic", ("osis",)),
    ("itic", ("itis",)),
    ("ptic", ("psy", "psis")),
    ("nic", ("nia", "ne", "n")),
    ("tic", ("sis", "tis", "tia")),
    ("ic", ("ia", "y", "icity", "e", "")),
    ("ical", ("y", "ia")),
    ("al", ("", "a", "um")),
    ("ous", ("", "a", "ia")),
    ("ed", ("ion", "ing", "")),
    ("ive", ("ion", "e", "iveness")),
    ("ent", ("ence", "ency")),
    ("ant", ("ance", "ancy")),
    ("ese", ("esity",)),
    ("ious", ("y", "ity")),
    ("iac", ("ia",)),
)  # fmt: skip
#: Words that qualify a disease without making it another disease with its own name.
_LOOSE_WORDS = """
acute chronic severe mild moderate recurrent transient persistent progressive early late onset sudden
spontaneous idiopathic primary secondary isolated sporadic familial inherited hereditary autosomal dominant
recessive x-linked drug-induced induced advanced metastatic invasive human clinical symptomatic asymptomatic
overt fatal nonfatal significant marked profound complete partial unilateral bilateral generalized diffuse focal
local systemic life-threatening end-stage refractory intractable malignant benign juvenile adult pediatric
childhood infantile postoperative perioperative experimental locomotor common rare typical atypical classic
classical reversible irreversible prolonged permanent excessive endogenous exogenous plasma serum total free
oral intravenous soluble recombinant native wild-type mutant active activated inactive phosphorylated
"""
LOOSE = frozenset(_LOOSE_WORDS.split())
#: Salts and other forms in which a chemical comes.
_SALTS_WORDS = """
hydrochloride hcl sulfate sulphate sodium potassium maleate tartrate citrate phosphate acetate bromide chloride
hydrobromide mesylate fumarate succinate calcium magnesium nitrate dihydrochloride besylate tosylate gluconate
monohydrate dihydrate hydrate lactate bitartrate pamoate iodide
"""
SALTS = frozenset(_SALTS_WORDS.split())
#: Words that follow a name without being part of it.
_CLASSES_WORDS = """
gene genes protein proteins mrna mrnas receptor receptors kinase polypeptide allele alleles promoter locus
antigen enzyme enzymes ligand subunit transcription factor cdna peptide peptides isoform isoforms family members
levels concentrations concentration therapy treatment
disease diseases disorder disorders syndrome syndromes infection infections phenotype phenotypes activity symptoms
death
"""
CLASSES = frozenset(_CLASSES_WORDS.split())
#: Ions and gases by their symbols in lower case.
IONS = {
    "ca": "calcium", "na": "sodium", "k": "potassium", "mg": "magnesium", "zn": "zinc", "cu": "copper", "fe": "iron",
    "cl": "chloride", "li": "lithium", "mn": "manganese", "cd": "cadmium", "hg": "mercury", "pb": "lead",
    "al": "aluminum", "as": "arsenic", "cr": "chromium", "o2": "oxygen", "h2o2": "hydrogen peroxide",
    "no": "nitric oxide", "co": "carbon monoxide", "co2": "carbon dioxide", "se": "selenium", "au": "gold",
    "ag": "silver", "pt": "platinum", "ni": "nickel",
}  # fmt: skip
#: Arabic numerals for Roman numerals, and the reverse.
ROMAN = {"I": "1", "II": "2", "III": "3", "IV": "4", "V": "5", "1": "I", "2": "II", "3": "III", "4": "IV", "5": "V"}
#: Latin letters that texts write in place of Greek ones: "b-thalassemia".
LETTERS = {"a": "alpha", "b": "beta", "g": "gamma", "d": "delta"}
