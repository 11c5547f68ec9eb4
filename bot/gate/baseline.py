"""The baseline, `baseline_results.json`: what each provider scored (CONTRACTS section 2)."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any, Final, cast

from bot.errors import BadInput
from bot.evaluation.scores import Enforcement
from bot.files import read_json
from bot.gate.rule import DEFAULT_RULE, RULES, Rule

DEFAULT_MAX_REGRESSION_PP: Final = 3.0
"""The limit of the gate, in percentage points (ADR-0066 section 4)."""


@dataclass(frozen=True, slots=True)
class ProviderBlock:
    """What one provider scored when it was last measured.

    A metric is judged where it is used (`metric_fault`): the gate fails a bad one by its name. The
    last five fields are None where the block does not record them; `answering` is a report's.
    """

    model: str
    enforcement: Enforcement
    source: str
    last_refreshed: date | None
    metrics: Mapping[str, object]
    gold_set: str | None = None
    prompt_sha256: str | None = None
    schema_sha256: str | None = None
    cassette_kind: str | None = None
    answering: Mapping[str, object] | None = None


@dataclass(frozen=True, slots=True)
class Baseline:
    """The whole file; `max_regression_pp` is in percentage points, `rule` how it is applied."""

    gold_set: str
    max_regression_pp: float
    providers: Mapping[str, ProviderBlock]
    rule: Rule = DEFAULT_RULE


class _Fields:
    """Typed access to a JSON object; raises BadInput that names the path of the field."""

    def __init__(self, raw: object, place: str, where: Path) -> None:
        self.place, self.where = place, where
        if not isinstance(raw, dict):
            raise self.fault("", "an object", raw)
        self.raw: dict[str, Any] = raw

    def fault(self, name: str, wanted: str, value: object) -> BadInput:
        path = f"{self.place}.{name}".strip(".") or "the whole"
        return BadInput(f"{path}: should be {wanted} (got {str(value)[:60]!r})", where=self.where)

    def text(self, name: str) -> str:
        value = self.raw.get(name)
        if not isinstance(value, str) or not value.strip():
            raise self.fault(name, "a text", value)
        return value

    def optional_text(self, name: str) -> str | None:
        return None if self.raw.get(name) is None else self.text(name)

    def optional_date(self, name: str) -> date | None:
        value = self.optional_text(name)
        try:
            return None if value is None else date.fromisoformat(value)
        except ValueError as error:
            raise self.fault(name, "a date as YYYY-MM-DD, or null", value) from error

    def points(self, name: str, default: float) -> float:
        value = self.raw.get(name, default)
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if not is_number or not math.isfinite(value) or not 0 <= value <= 100:
            raise self.fault(name, "a number of percentage points from 0 to 100", value)
        return float(value)

    def optional_object(self, name: str) -> Mapping[str, object] | None:
        return None if self.raw.get(name) is None else self.child(name).raw

    def child(self, name: str, default: object = None) -> "_Fields":
        return _Fields(self.raw.get(name, default), f"{self.place}.{name}".strip("."), self.where)


def _block(fields: _Fields) -> ProviderBlock:
    enforcement = fields.text("enforcement")
    if enforcement not in ("ci", "manual"):
        raise fields.fault("enforcement", '"ci" or "manual"', enforcement)
    source = fields.raw.get("source", "")
    return ProviderBlock(
        model=fields.text("model"),
        enforcement=cast(Enforcement, enforcement),
        source=source if isinstance(source, str) else "",
        last_refreshed=fields.optional_date("last_refreshed"),
        metrics=fields.child("metrics", {}).raw,
        gold_set=fields.optional_text("gold_set"),
        prompt_sha256=fields.optional_text("prompt_sha256"),
        schema_sha256=fields.optional_text("schema_sha256"),
        cassette_kind=fields.optional_text("cassette_kind"),
        answering=fields.optional_object("answering"),
    )


def _rule(policy: _Fields) -> Rule:
    """Raises BadInput: a misspelt rule must not become a milder one."""
    value = policy.raw.get("rule", DEFAULT_RULE)
    for rule in RULES:
        if value == rule:
            return rule
    raise policy.fault("rule", f"one of {', '.join(RULES)}", value)


def parse_baseline(raw: object, where: Path) -> Baseline:
    """Raises BadInput that names the field."""
    fields = _Fields(raw, "", where)
    version = fields.raw.get("schema_version")
    if version != 1 or isinstance(version, bool):
        raise fields.fault("schema_version", "1", version)
    providers, policy = fields.child("providers"), fields.child("policy", {})
    return Baseline(
        gold_set=fields.text("gold_set"),
        max_regression_pp=policy.points("max_regression_pp", DEFAULT_MAX_REGRESSION_PP),
        providers={name: _block(providers.child(name)) for name in providers.raw},
        rule=_rule(policy),
    )


def load_baseline(path: Path) -> Baseline:
    """Raises BadInput; NaN is let in, for the gate to fail it by name."""
    return parse_baseline(read_json(path, allow_nan=True), path)
