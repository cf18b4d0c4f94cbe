"""The models that learn labels from numbers, for the leak probe and for the baselines of the benchmark.

They need scikit-learn (extra `bench`), whose import is slow.
"""

from typing import Any

from groundwork.errors import InputError

#: Rows in a leaf of a boosted tree: scikit-learn's default, or this share of few rows, so that trees can split.
LEAF = 20
LEAF_SHARE = 0.1


class Learners:
    """The required parts of scikit-learn.

    Args:
        whose: Name of the part of this program that needs them.

    Attributes:
        StratifiedGroupKFold: As in scikit-learn.
        cross_val_predict: As in scikit-learn.
        threadpool_limits: As in threadpoolctl; with so little data, threads only wait for each other.

    Raises:
        InputError: scikit-learn is not installed.
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
        """Return an untrained model for a number of rows: gradient boosting, or logistic regression."""
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
