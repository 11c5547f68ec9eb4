"""The JSON Schema of a candidate record, for writers in other languages."""

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from bot.candidates.record import candidate_json_schema, parse_record
from bot.errors import BadInput
from tests.support.candidates import encoded, fields

ROOT = Path(__file__).parent.parent.parent


def test_the_committed_schema_is_the_one_generated_from_the_models() -> None:
    committed = ROOT / "web_data" / "candidate-record.schema.json"
    assert json.loads(committed.read_text(encoding="utf-8")) == candidate_json_schema()


@pytest.mark.parametrize(
    "changes",
    [
        {"claim": "x" * 501},
        {"claim": " "},
        {"kind": "memory"},
        {"schema_version": 1},
        {"id": "x"},
        {"overview": "all"},
        {"decisions": []},
        {"source": {"segment_id": "s", "range": [1]}},
        {"evidence": [{"id": "E1", "kind": "m", "excerpt": "x" * 601}]},
        {"evidence": [{"id": f"E{n}", "kind": "m"} for n in range(9)]},
        {"evidence": [{"id": "E1", "kind": "Tool Call"}]},
    ],
)
def test_the_schema_refuses_what_the_models_refuse(changes: dict[str, Any]) -> None:
    with pytest.raises(BadInput):
        parse_record(encoded(fields(**changes)))
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(fields(**changes), candidate_json_schema())
