"""Run a measurement: `python -m benchmarks NAME [OPTION...]`. MEASURED.md says what each name measures."""

import sys
from importlib import import_module

#: The names by module. A module has a function of each of its names.
MODULES = {
    "performance.generate": "generate",
    "performance.growth": "growth",
    "performance.judging": "bench grounding judging slow_model",
    "performance.loading": "concepts documents load normalise release",
    "performance.lookups": "context saved_queries search similarity",
    "performance.paths": "paths",
    "performance.rivals_loading": "rival_graphs rival_names rival_relations rival_texts",
    "performance.rivals_lookup": "our_searches our_similar rival_searches rival_similar",
    "performance.service": "served_home service",
    "quality.ground": "closing restated strangers whole_ground",
    "quality.held_out": "held_out",
    "quality.linking": "linking retrieval",
    "quality.nli": "natural_claims nli",
    "quality.risk": "grid risk",
    "quality.siblings": "opposites siblings",
}
NAMES = {name: module for module, names in MODULES.items() for name in names.split()}

if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1] not in NAMES:
        sys.exit(f"python -m benchmarks NAME [OPTION...]; NAME is one of: {', '.join(sorted(NAMES))}")
    name = sys.argv.pop(1)
    sys.argv[0] = f"python -m benchmarks {name}"
    getattr(import_module(f"benchmarks.{NAMES[name]}"), name)()
