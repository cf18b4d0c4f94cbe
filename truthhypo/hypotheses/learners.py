"""Make the scikit-learn models that learn labels from features, for the leak probe and the baselines.

scikit-learn comes with the extra `bench`, and its import is slow.
"""

from importlib.util import find_spec
from typing import Any

from groundwork.errors import InputError

#: Minimum number of rows in a leaf of a boosted tree: LEAF (scikit-learn's default), or LEAF_SHARE of all rows if that
#: is smaller.
LEAF = 20
LEAF_SHARE = 0.1


def check_installed(whose: str) -> None:
    """Check that scikit-learn is installed.

    Args:
        whose: Name of the part of this program that needs scikit-learn.

    Raises:
        InputError: scikit-learn is not installed.
    """
    if find_spec("sklearn") is None:
        wanted, mend = "the extra `bench`", "install it: pip install 'truthhypo[bench]'"
        raise InputError(f"{whose} needs scikit-learn, which is not installed", wanted, mend)


def learner(boosted: bool, seed: int, rows: int) -> Any:
    """Return an untrained model for this number of rows: gradient boosting if `boosted`, else logistic regression."""
    from sklearn.ensemble import HistGradientBoostingClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    if boosted:
        leaf = min(LEAF, max(1, int(LEAF_SHARE * rows)))
        return HistGradientBoostingClassifier(
            max_iter=80, max_leaf_nodes=8, min_samples_leaf=leaf, random_state=seed, early_stopping=False
        )
    return make_pipeline(StandardScaler(), LogisticRegression(max_iter=2000))
