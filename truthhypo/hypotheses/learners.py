"""What learns a set's labels from numbers: one rule for the leak probe and for the baselines of the benchmark.

Needs scikit-learn (extra `bench`), which takes long to import.
"""

from typing import Any

from groundwork.errors import InputError

#: Rows in a leaf of a boosted tree: scikit-learn's own number, and of few rows this share, or no tree could split.
LEAF = 20
LEAF_SHARE = 0.1


class Learners:
    """scikit-learn's parts.

    Args:
        whose: Who needs them, in words.

    Attributes:
        StratifiedGroupKFold: As scikit-learn's.
        cross_val_predict: Likewise.
        threadpool_limits: As threadpoolctl's: on so little data threads wait for each other.

    Raises:
        InputError: It is not installed.
    """

    def __init__(self, whose: str) -> None:
        try:
            from sklearn.model_selection import StratifiedGroupKFold, cross_val_predict
            from threadpoolctl import threadpool_limits
        except ImportError as error:
            wanted, mend = "the extra `bench`", "install it: pip install 'truthhypo[bench]'"
            raise InputError(f"{whose} needs scikit-learn, which is not installed", wanted, mend) from error
        self.StratifiedGroupKFold: Any = StratifiedGroupKFold
        self.cross_val_predict: Any = cross_val_predict
        self.threadpool_limits: Any = threadpool_limits

    @staticmethod
    def made(boosted: bool, seed: int, rows: int) -> Any:
        """A model that has learned nothing yet, and is to learn from so many rows: gradient boosting, or logistic."""
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
