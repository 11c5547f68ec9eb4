"""The formulas over columns give what the scorers' own functions give."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.errors import BadInput
from bot.evaluation.conversation_counts import ConversationCounts, flat
from bot.evaluation.task import ScoringRules, Task
from bot.evaluation.tasks.candidates import CANDIDATES
from bot.evaluation.tasks.memories import MEMORIES
from bot.statistics.table import Scorer, Table
from tests.statistics.counts import COLUMNS, random_counts

TASKS = {task.name: task for task in (MEMORIES, CANDIDATES)}


def columns_of(task: Task) -> tuple[str, ...]:
    return tuple(flat(task.new_scorer(ScoringRules()).result().counts.model_dump()))


@pytest.mark.parametrize("task", TASKS.values(), ids=TASKS)
@given(data=st.data())
def test_formulas_equal_the_metrics_of_the_scorer_for_any_counts(
    task: Task, data: st.DataObject
) -> None:
    columns = columns_of(task)
    assert len(columns) > 15
    few = st.sampled_from((0, 0, 0, 1, 2, 7))
    row = data.draw(st.lists(few, min_size=len(columns), max_size=len(columns)))
    counts = ConversationCounts(columns, {"c": " ".join(map(str, row))})
    wanted = task.compute_metrics(task.counts.model_validate(counts.total()))
    found = Scorer.bind(columns, task.formulas).metrics(Table.of(counts).total)
    assert set(found) == set(wanted)
    for name, value in wanted.items():
        if value is None:
            assert np.isnan(found[name][0]), name
        else:
            assert found[name][0] == pytest.approx(value, abs=1e-15), name


@pytest.mark.parametrize("task", TASKS.values(), ids=TASKS)
def test_every_gated_metric_has_a_formula(task: Task) -> None:
    assert set(task.gated_metrics) <= set(task.formulas)


def test_counts_without_a_column_of_a_formula_are_refused() -> None:
    with pytest.raises(BadInput, match="the counts have no 'labels"):
        Scorer.bind(COLUMNS[5:], MEMORIES.formulas)


def test_a_table_is_in_order_of_ids_whatever_the_order_of_the_rows() -> None:
    counts = random_counts(1, conversations=5)
    shuffled = ConversationCounts(counts.columns, dict(reversed(counts.rows.items())))
    assert Table.of(shuffled).ids == tuple(sorted(counts.rows))
    assert (Table.of(shuffled).counts == Table.of(counts).counts).all()


@pytest.mark.parametrize("row", ["1 2", "1 -2 3", "1 2 x", "1  2 3", "1 2 3\n", "9999999999 1 1"])
def test_a_row_that_is_no_row_of_whole_numbers_is_refused(row: str) -> None:
    with pytest.raises(BadInput, match="'c': should be 3 whole numbers"):
        ConversationCounts.parse({"columns": ["a", "b", "c"], "rows": {"c": row}}, "latest.json")


@pytest.mark.parametrize("raw", [None, [], {"columns": ["a"]}, {"columns": [1], "rows": {}}])
def test_what_is_no_table_of_counts_is_refused(raw: object) -> None:
    with pytest.raises(BadInput, match="should hold columns and rows"):
        ConversationCounts.parse(raw, "latest.json")


def test_the_same_column_twice_is_refused() -> None:
    with pytest.raises(BadInput, match="distinct names"):
        ConversationCounts.parse({"columns": ["a", "a"], "rows": {}}, "latest.json")
