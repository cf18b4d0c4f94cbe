"""Is this statement true, what does the literature say, how sure can I be?

    import truthhypo

    with truthhypo.connect() as world:
        world.ground("Metformin treats type 2 diabetes.").groundedness
        world.risk("Metformin treats type 2 diabetes.").hrs
        world.graph.chains("Chemical|MESH:D008687", "Disease|MESH:D003924")

Results are records: `to_dict()` gives the JSON that the command prints.
"""

from groundwork.errors import TruthHypoError
from groundwork.settings import Settings
from truthhypo.world import World, connect

__version__ = "0.1.0"

__all__ = ["Settings", "TruthHypoError", "World", "__version__", "connect"]
