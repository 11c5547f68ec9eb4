"""The sticky comment without any domain, on the test GitHub: a marker, and a line for each job."""

import threading
import time
from collections.abc import Callable

import pytest

from bot.commands.connect import connect
from bot.github import sticky_comment
from bot.github.interface import GitHubRefused, GitHubUnreachable
from bot.github.pygithub import PyGithubApi
from bot.github.sticky_comment import MAX_FAILURES, StickyComment, Upserted, upsert
from tests.github.test_authentication import app_env, new_key
from tests.github_server.scenario import (
    add_comments,
    create_token,
    install_app,
    open_pull_request,
)
from tests.github_server.server import GitHubServer
from tests.github_server.state import Comment
from tests.support.github_place import FakeTime, GitHubPlace, github_place

MARKER = "<!-- a test's comment -->"
LIST, EDIT = "/issues/1/comments$", "/issues/comments/"


@pytest.fixture
def place(github_server: GitHubServer) -> GitHubPlace:
    made = github_place(github_server)
    open_pull_request(github_server, made.repo, files={"a.txt": "a"})
    return made


def lines(body: str) -> list[str]:
    return body.split("\n")[1:]


def with_line(body: str | None, line: str) -> str:
    """`body` with the job's line in place of its old one: "job: text"."""
    job = line.partition(":")[0]
    kept = [one for one in lines(body or MARKER) if one.partition(":")[0] != job]
    return "\n".join([MARKER, *sorted([*kept, line])])


def merged(body: str, other: str) -> str:
    have = {one.partition(":")[0] for one in lines(body)}
    more = [one for one in lines(other) if one.partition(":")[0] not in have]
    return "\n".join([MARKER, *sorted([*lines(body), *more])])


def post(
    api: PyGithubApi, line: str = "a: 1", sleep: Callable[[float], None] | None = None
) -> Upserted:
    sticky = StickyComment(MARKER, lambda body: with_line(body, line), merged)
    return upsert(api, 1, sticky, sleep or FakeTime().sleep)


def marked(place: GitHubPlace, login: str = "github-actions[bot]") -> list[Comment]:
    found = [one for one in place.repo.comments.values() if one.body.startswith(MARKER)]
    return [one for one in found if one.user.login == login]


def by_us(place: GitHubPlace, *bodies: str) -> list[Comment]:
    login, app = "github-actions[bot]", place.token.app
    return [
        add_comments(place.server, place.repo, 1, body=body, login=login, app=app)[0]
        for body in bodies
    ]


def together(place: GitHubPlace, jobs: int) -> None:
    """Let the first lists of so many jobs be answered only when all of them have asked."""
    barrier = threading.Barrier(jobs)

    def wait(_: object) -> None:
        barrier.wait()

    place.server.after("GET", LIST, wait, times=jobs)


def post_at_once(place: GitHubPlace, *texts: str) -> None:
    together(place, len(texts))
    jobs = [
        threading.Thread(target=post, args=(place.api(), text, lambda _: time.sleep(0.5)))
        for text in texts
    ]
    for job in jobs:
        job.start()
    for job in jobs:
        job.join()


def asked(place: GitHubPlace, method: str, path: str = "comments") -> int:
    return len(place.server.asked(method, path))


def test_it_is_created_then_left_alone_then_updated(place: GitHubPlace) -> None:
    api = place.api()
    assert post(api).outcome == "created"
    assert (asked(place, "GET"), asked(place, "POST")) == (2, 1)
    assert post(api).outcome == "unchanged"
    assert (asked(place, "GET"), len(place.server.writes)) == (3, 1)
    assert post(api, "a: 2").outcome == "updated"
    assert (asked(place, "GET"), asked(place, "PATCH")) == (5, 1)
    assert [one.body for one in marked(place)] == [f"{MARKER}\na: 2"]


def test_it_is_found_on_the_third_page(place: GitHubPlace) -> None:
    add_comments(place.server, place.repo, 1, 240)
    by_us(place, f"{MARKER}\na: 1")
    add_comments(place.server, place.repo, 1, 9)
    assert post(place.api(), "a: 2").outcome == "updated"
    assert asked(place, "GET") == 6
    assert len(marked(place)) == 1


@pytest.mark.parametrize("login", ["octocat", "github-actions", "copycat[bot]"])
def test_a_comment_of_somebody_else_with_our_marker_is_left_alone(
    place: GitHubPlace, login: str
) -> None:
    (copy,) = add_comments(place.server, place.repo, 1, body=f"{MARKER}\na: 0", login=login)
    assert post(place.api()).outcome == "created"
    assert place.repo.comments[copy.id].body == f"{MARKER}\na: 0"
    assert post(place.api()).outcome == "unchanged"
    assert asked(place, "DELETE") == 0


def test_a_comment_of_ours_that_only_quotes_the_marker_is_left_alone(place: GitHubPlace) -> None:
    (other,) = by_us(place, f"see {MARKER}")
    post(place.api())
    assert place.repo.comments[other.id].body == f"see {MARKER}"


@pytest.mark.parametrize("kind", ["status_after_change", "close_after_change"])
def test_a_create_whose_answer_was_lost_is_looked_for_and_not_repeated(
    place: GitHubPlace, kind: str
) -> None:
    place.server.faults.add(method="POST", path=LIST, kind=kind)
    assert post(place.api()).outcome == "created"
    assert (asked(place, "POST"), len(marked(place))) == (1, 1)


@pytest.mark.parametrize("kind", ["status", "close_before_change", "secondary_rate_limit"])
def test_a_create_that_was_not_made_is_tried_again(place: GitHubPlace, kind: str) -> None:
    place.server.faults.add(method="POST", path=LIST, kind=kind)
    assert post(place.api()).outcome == "created"
    assert (asked(place, "POST"), len(marked(place))) == (2, 1)


def test_a_create_that_fails_for_ever_ends_bounded_and_leaves_nothing(place: GitHubPlace) -> None:
    place.server.faults.add(method="POST", path=LIST, kind="status", times=None)
    with pytest.raises(GitHubUnreachable, match=f"500 .*, after {MAX_FAILURES} attempts"):
        post(place.api())
    assert (asked(place, "POST"), marked(place)) == (MAX_FAILURES, [])


def test_deleted_between_list_and_edit_it_is_created_anew_once(place: GitHubPlace) -> None:
    (old,) = by_us(place, f"{MARKER}\na: 1")

    def delete(_: object) -> None:
        place.repo.comments.pop(old.id)

    place.server.before("PATCH", EDIT, delete)
    assert post(place.api(), "a: 2").outcome == "created"
    assert [one.body for one in marked(place)] == [f"{MARKER}\na: 2"]
    assert asked(place, "POST") == 1


def test_an_edit_that_is_hidden_from_us_is_refused_soon(place: GitHubPlace) -> None:
    by_us(place, f"{MARKER}\na: 1")
    place.server.faults.add(method="PATCH", kind="status", status=404, times=None)
    with pytest.raises(GitHubRefused) as caught:
        post(place.api(), "a: 2")
    assert (caught.value.status, asked(place, "PATCH"), asked(place, "POST")) == (404, 2, 0)


def test_a_list_that_lags_behind_our_creation_leads_to_no_second_one(place: GitHubPlace) -> None:
    hidden: dict[int, Comment] = {}

    def hide(_: object) -> None:
        hidden.update(place.repo.comments)
        place.repo.comments.clear()

    place.server.before("GET", LIST, hide, nth=2)
    place.server.after("GET", LIST, lambda _: place.repo.comments.update(hidden), nth=2)
    assert post(place.api()).outcome == "created"
    assert (asked(place, "POST"), len(marked(place))) == (1, 1)


def test_of_several_of_ours_the_oldest_stays_with_what_all_of_them_held(
    place: GitHubPlace,
) -> None:
    first, *_ = by_us(place, f"{MARKER}\nb: 1", f"{MARKER}\na: 0\nb: 0", f"{MARKER}\nc: 1")
    assert post(place.api()).outcome == "updated"
    assert [(one.id, lines(one.body)) for one in marked(place)] == [
        (first.id, ["a: 1", "b: 1", "c: 1"])
    ]


def test_two_jobs_that_create_at_once_leave_one_comment_with_both(place: GitHubPlace) -> None:
    post_at_once(place, "a: 1", "b: 1")
    assert asked(place, "POST") == 2
    assert [lines(one.body) for one in marked(place)] == [["a: 1", "b: 1"]]


def test_four_jobs_that_update_at_once_are_all_there_at_the_end(place: GitHubPlace) -> None:
    by_us(place, f"{MARKER}\nz: 1")
    post_at_once(place, "a: 1", "b: 1", "c: 1", "d: 1")
    (comment,) = marked(place)
    assert lines(comment.body) == ["a: 1", "b: 1", "c: 1", "d: 1", "z: 1"]


def test_what_another_job_wrote_over_is_written_once_more(place: GitHubPlace) -> None:
    (comment,) = by_us(place, f"{MARKER}\na: 1")

    def overwrite(_: object) -> None:
        comment.body = f"{MARKER}\na: 1\nb: 1"

    place.server.after("PATCH", EDIT, overwrite)
    assert post(place.api(), "a: 2").outcome == "updated"
    assert lines(comment.body) == ["a: 2", "b: 1"]


@pytest.mark.parametrize("kind", ["secondary_rate_limit", "status"])
def test_what_another_job_wrote_during_a_pause_is_kept(place: GitHubPlace, kind: str) -> None:
    (comment,) = by_us(place, f"{MARKER}\na: 1")

    def other_job(_: float) -> None:
        comment.body = with_line(comment.body, "b: 1")

    place.server.faults.add(method="PATCH", kind=kind)
    api = place.api()
    api._retrier.sleep = other_job
    post(api, "a: 2", other_job)
    assert lines(comment.body) == ["a: 2", "b: 1"]
    assert asked(place, "PATCH") == 2


def test_others_who_write_over_it_for_ever_end_it_bounded(place: GitHubPlace) -> None:
    (comment,) = by_us(place, f"{MARKER}\na: 1")

    def overwrite(_: object) -> None:
        comment.body = f"{MARKER}\na: 1"

    place.server.after("PATCH", EDIT, overwrite, times=None)
    with pytest.raises(GitHubUnreachable, match="other jobs kept writing"):
        post(place.api(), "a: 2")
    assert asked(place, "PATCH") == sticky_comment.MAX_ROUNDS


def test_a_body_that_github_stores_otherwise_is_no_endless_repair(place: GitHubPlace) -> None:
    (comment,) = by_us(place, f"{MARKER}\na: 1")
    edits: list[str] = []

    def edit(body: str | None) -> str:  # never satisfied with what it reads
        edits.append(body or "")
        return f"{MARKER}\na: edit {len(edits)}"

    sticky = StickyComment(MARKER, edit, merged)
    assert upsert(place.api(), 1, sticky, FakeTime().sleep).outcome == "updated"
    assert (asked(place, "PATCH"), comment.body) == (1, f"{MARKER}\na: edit 1")


def test_an_app_knows_its_comment_without_asking_for_its_name(place: GitHubPlace) -> None:
    private, public = new_key()
    installation = install_app(place.server, place.repo, public)
    add_comments(place.server, place.repo, 1, body=f"{MARKER}\na: 0")  # a person's copy
    for line, outcome, calls in (("a: 1", "created", 4), ("a: 1", "unchanged", 2)):
        before = place.calls()
        api = connect(app_env(place, private, installation.id))  # one call is for its token
        assert post(api, line).outcome == outcome
        assert place.calls() - before == calls
    assert asked(place, "GET", "/app$") == 0
    assert len(marked(place, "memory-bench[bot]")) == 1


def test_a_token_of_an_app_that_we_do_not_know_leaves_one_comment(place: GitHubPlace) -> None:
    private, public = new_key()
    installation = install_app(place.server, place.repo, public)
    connect(app_env(place, private, installation.id)).pull(1)
    value = next(key for key, one in place.server.state.tokens.items() if one.kind.value == "app")
    for line in ("a: 1", "a: 2"):
        post(connect(place.env(GITHUB_TOKEN=value)), line)
    (comment,) = marked(place, "memory-bench[bot]")
    assert lines(comment.body) == ["a: 2"]


def test_a_person_who_wrote_through_the_app_is_not_the_app(place: GitHubPlace) -> None:
    private, public = new_key()
    installation = install_app(place.server, place.repo, public)
    (copy,) = add_comments(
        place.server, place.repo, 1, body=f"{MARKER}\na: 0", login="ada", app=installation.app
    )
    post(connect(app_env(place, private, installation.id)))
    assert place.repo.comments[copy.id].body == f"{MARKER}\na: 0"
    assert len(marked(place, "memory-bench[bot]")) == 1


def test_without_permission_nothing_is_tried_twice(place: GitHubPlace) -> None:
    token = create_token(place.server, "actions", {"issues": "read"}, repository=place.repo)
    with pytest.raises(GitHubRefused) as caught:
        post(place.api(token=token))
    assert (caught.value.status, asked(place, "POST"), marked(place)) == (403, 1, [])
