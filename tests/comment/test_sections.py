from hypothesis import given
from hypothesis import strategies as st

from bot.comment.sections import COMMENT_MARKER, Section, parse_sections, splice

HEAD, OLD = "a" * 40, "b" * 40


def section(name: str = "extraction_quality", **changes: object) -> Section:
    fields: dict[str, object] = {"sha": HEAD, "run_number": 1, "status": "pass", "text": "Fine."}
    return Section(name=name, **{**fields, **changes})  # type: ignore[arg-type]


def test_a_new_comment_starts_with_the_marker_and_holds_the_section() -> None:
    body = splice(None, section(), HEAD)
    assert body.startswith(COMMENT_MARKER + "\n")
    assert parse_sections(body) == [section()]


def test_a_suite_replaces_only_its_own_section() -> None:
    body = splice(splice(None, section(), HEAD), section("candidate_staging", text="C"), HEAD)
    changed = splice(body, section(text="Better.", run_number=2), HEAD)
    assert [found.text for found in parse_sections(changed)] == ["Better.", "C"]


def test_text_and_sections_that_the_program_does_not_know_are_kept() -> None:
    unknown = (
        "<!-- extraction-benchmark-bot:section name=future sha= run=0 status=none extra=1 -->\n"
        "from a newer program\n<!-- extraction-benchmark-bot:end name=future -->"
    )
    body = splice(None, section(), HEAD) + "\n" + unknown + "\n\nA note of a maintainer.\n"
    again = splice(body, section(text="New.", run_number=2), HEAD)
    assert unknown in again
    assert "A note of a maintainer." in again
    assert "Fine." not in again


def test_an_older_run_never_overwrites_a_newer_runs_section() -> None:
    body = splice(None, section(run_number=9, text="newer"), HEAD)
    assert splice(body, section(run_number=8, text="older"), HEAD) == body


def test_a_section_of_an_older_commit_is_marked_and_does_not_count() -> None:
    body = splice(None, section("a", sha=OLD, status="fail"), OLD)
    body = splice(body, section("b", status="pass"), HEAD)
    assert "speaks of an older commit, bbbbbbb" in body
    assert body.split("\n")[2] == "**✅ b ✅ pass**"
    refreshed = splice(body, section("a", status="pass", run_number=2), HEAD)
    assert "older commit" not in refreshed
    assert refreshed.split("\n")[2] == "**✅ a ✅ pass · b ✅ pass**"


def test_one_failing_suite_makes_the_thread_fail() -> None:
    body = splice(splice(None, section("a"), HEAD), section("b", status="fail"), HEAD)
    assert body.split("\n")[2] == "**❌ a ✅ pass · b ❌ fail**"


@given(
    st.lists(
        st.tuples(
            st.sampled_from("abc"),
            st.sampled_from([HEAD, OLD]),
            st.integers(0, 5),
            st.sampled_from(["pass", "fail", "none"]),
        ),
        min_size=1,
        max_size=8,
    )
)
def test_splicing_twice_changes_nothing_and_loses_nobody(
    updates: list[tuple[str, str, int, str]],
) -> None:
    body: str | None = None
    newest: dict[str, int] = {}
    for name, sha, number, status in updates:
        new = section(name, sha=sha, run_number=number, status=status, text=f"{name}{number}")
        body = splice(body, new, HEAD)
        newest[name] = max(newest.get(name, 0), number)
        assert splice(body, new, HEAD) == body
    found = {part.name: part.run_number for part in parse_sections(body or "")}
    assert found == newest
