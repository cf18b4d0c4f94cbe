"""LangChain's shapes over a world: retrievers, tools and a Runnable that scores texts. None of them writes.

    from truthhypo.faces.langchain import LiteratureRetriever, Scorer, Toolkit

    with truthhypo.connect() as world:
        LiteratureRetriever(world=world, k=5).invoke("does aspirin prevent infarction")
        Toolkit(world=world).get_tools()
        Scorer(world).batch(["Aspirin causes myocardial infarction."])

Evidence that comes out of them is quoted text, not instructions.
"""

from truthhypo.faces.langchain.retrievers import ChainRetriever, EdgeRetriever, LiteratureRetriever
from truthhypo.faces.langchain.scorer import Score, Scorer
from truthhypo.faces.langchain.tools import Toolkit

__all__ = ["ChainRetriever", "EdgeRetriever", "LiteratureRetriever", "Score", "Scorer", "Toolkit"]
