"""Metrics against scikit-learn and against arithmetic done by hand."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import f1_score, precision_score, recall_score

from bot.evaluation.counts import Decisions, LabelCounts
from bot.evaluation.metrics import Counts, compute_metrics, merge_counts
from bot.evaluation.scores import GATED_METRICS
from bot.extraction.taxonomy import VALID_LABELS, Label


def counts_of(labels: dict[Label, LabelCounts]) -> Counts:
    return Counts(labels={label: labels.get(label, LabelCounts()) for label in VALID_LABELS})


def test_a_worked_example() -> None:
    # factual: 3 of 4 predictions right, 3 of 5 gold found
    metrics = compute_metrics(counts_of({"factual": LabelCounts(tp=3, fp=1, fn=2)}))
    assert metrics["precision_factual"] == 3 / 4
    assert metrics["recall_factual"] == 3 / 5
    assert metrics["f1_factual"] == pytest.approx(2 * 0.75 * 0.6 / (0.75 + 0.6))


def test_a_rare_label_that_is_never_predicted_lowers_the_macro_precision() -> None:
    common = LabelCounts(tp=50)
    without = compute_metrics(counts_of({"factual": common}))
    with_rare = compute_metrics(counts_of({"factual": common, "episodic": LabelCounts(fn=2)}))
    assert without["precision_macro"] == 1.0
    assert with_rare["precision_episodic"] == 0.0
    assert with_rare["precision_macro"] == 0.5  # (1 + 0) / 2: it falls, it does not rise
    assert with_rare["recall_macro"] == 0.5


def test_a_label_without_support_and_prediction_is_undefined_and_out_of_the_average() -> None:
    metrics = compute_metrics(counts_of({"factual": LabelCounts(tp=1)}))
    assert metrics["precision_episodic"] is None
    assert metrics["recall_episodic"] is None
    assert metrics["f1_episodic"] is None
    assert metrics["precision_macro"] == 1.0


def test_predictions_of_a_label_without_support_are_precision_zero() -> None:
    metrics = compute_metrics(counts_of({"episodic": LabelCounts(fp=4)}))
    assert metrics["precision_episodic"] == 0.0
    assert metrics["recall_episodic"] is None


def test_nothing_at_all_is_undefined_everywhere() -> None:
    assert set(compute_metrics(Counts()).values()) == {None}


def test_the_fourteen_gated_metrics_come_first() -> None:
    assert tuple(compute_metrics(Counts()))[:14] == GATED_METRICS


@st.composite
def label_matrices(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray]:
    rows = draw(st.integers(1, 12))
    bits = st.lists(st.lists(st.booleans(), min_size=5, max_size=5), min_size=rows, max_size=rows)
    return np.array(draw(bits), dtype=int), np.array(draw(bits), dtype=int)


@given(label_matrices())
def test_scores_agree_with_scikit_learn(matrices: tuple[np.ndarray, np.ndarray]) -> None:
    gold, predicted = matrices
    labels = {
        label: LabelCounts(
            tp=int((gold[:, i] & predicted[:, i]).sum()),
            fp=int((~gold[:, i] & 1 & predicted[:, i]).sum()),
            fn=int((gold[:, i] & ~predicted[:, i] & 1).sum()),
        )
        for i, label in enumerate(VALID_LABELS)
    }
    metrics = compute_metrics(counts_of(labels))
    for kind, score in (("precision", precision_score), ("recall", recall_score), ("f1", f1_score)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            each = score(gold, predicted, average=None, zero_division=np.nan)
            micro = score(gold, predicted, average="micro", zero_division=np.nan)
        for i, label in enumerate(VALID_LABELS):
            ours = metrics[f"{kind}_{label}"]
            if kind == "precision" and np.isnan(each[i]) and gold[:, i].any():
                assert ours == 0.0  # our rule: never predicted although there was support
            else:
                assert (np.nan if ours is None else ours) == pytest.approx(each[i], nan_ok=True)
        ours_micro = metrics[f"{kind}_micro"]
        if not (kind == "precision" and np.isnan(micro) and gold.any()):
            assert (np.nan if ours_micro is None else ours_micro) == pytest.approx(
                micro, nan_ok=True
            )


all_counts = st.builds(
    lambda parts, right, more: Counts(
        labels=dict(zip(VALID_LABELS, parts, strict=True)),
        category_assignment=Decisions(right=right, total=right + more),
        temporal_field=Decisions(right=more, total=right + more),
        temporal_value=Decisions(right=0, total=right),
        turns=right,
        gold_memories=more,
        predicted_memories=right,
        pairs=min(right, more),
    ),
    st.lists(
        st.builds(lambda tp, fp, fn: LabelCounts(tp=tp, fp=fp, fn=fn), *[st.integers(0, 9)] * 3),
        min_size=5,
        max_size=5,
    ),
    st.integers(0, 9),
    st.integers(0, 9),
)


@given(st.lists(all_counts, max_size=5))
def test_merging_is_a_sum_in_any_order_and_grouping(parts: list[Counts]) -> None:
    whole = merge_counts(parts)
    assert whole == merge_counts(reversed(parts))
    assert whole == merge_counts(parts[:2]) + merge_counts(parts[2:])
    assert whole.turns == sum(part.turns for part in parts)
    for label in VALID_LABELS:
        assert whole.labels[label].tp == sum(part.labels[label].tp for part in parts)
