from hypothesis import given
from hypothesis import strategies as st

from bot.comment.sections import (
    COMMENT_MARKER,
    MAX_COMMENT_CHARS,
    Section,
    merge_bodies,
    parse_sections,
    room_beside,
    splice,
)

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
    for name, sha, number, status in updates:
        new = section(name, sha=sha, run_number=number, status=status, text=f"{name}{number}")
        body = splice(body, new, HEAD)
        assert splice(body, new, HEAD) == body
    found = {part.name: part for part in parse_sections(body or "")}
    assert set(found) == {name for name, *_ in updates}
    for name, part in found.items():
        of_head = [number for n, sha, number, _ in updates if (n, sha) == (name, HEAD)]
        of_old = [number for n, sha, number, _ in updates if (n, sha) == (name, OLD)]
        assert (part.sha, part.run_number) == (
            (HEAD, max(of_head)) if of_head else (OLD, max(of_old))
        )


def test_a_section_of_another_commit_never_overwrites_the_heads() -> None:
    body = splice(None, section(run_number=0, status="none", text="No result."), HEAD)
    assert splice(body, section(sha=OLD, run_number=9, text="older commit"), HEAD) == body
    body = splice(None, section(sha=OLD, run_number=9), OLD)
    assert "No result." in splice(body, section(run_number=0, text="No result."), HEAD)


def test_a_second_comments_sections_are_taken_over_where_they_are_missing_or_newer() -> None:
    first = splice(splice(None, section("a", run_number=1), HEAD), section("b"), HEAD)
    second = splice(splice(None, section("a", run_number=2, text="new"), HEAD), section("c"), HEAD)
    merged = merge_bodies(first, second, HEAD)
    assert {(part.name, part.run_number) for part in parse_sections(merged)} == {
        ("a", 2),
        ("b", 1),
        ("c", 1),
    }


def test_the_room_of_a_section_is_what_the_others_leave() -> None:
    body = splice(splice(None, section("a", text="x" * 60_000), HEAD), section("b"), HEAD)
    assert room_beside(body, "a") > 60_000
    assert room_beside(body, "b") < 5_000
    assert len(
        splice(body, section("b", run_number=2, text="y" * room_beside(body, "b")), HEAD)
    ) < (MAX_COMMENT_CHARS)
