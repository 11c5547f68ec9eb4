import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.errors import BadInput
from bot.policy.changed_files import ChangedFiles, parse_changed_files


@pytest.mark.parametrize(
    ("data", "paths"),
    [
        (b"", set()),
        (b"\n\r\n", set()),
        (b"a.py\nb/c d.py\n", {"a.py", "b/c d.py"}),
        (b"a.py\r\nb.py", {"a.py", "b.py"}),
        (b"\xef\xbb\xbfa.py\n", {"a.py"}),
        (b"./a.py\n", {"a.py"}),
        (b'"a\\303\\244 \\"q\\".py"\n', {'a\u00e4 "q".py'}),
        (b'"tab\\tnew\\nline.py"\n', {"tab\tnew\nline.py"}),
        (b"M\ta.py\nR100\told.py\tnew.py\nD\tgone.py\n", {"a.py", "old.py", "new.py", "gone.py"}),
        (b"a.py\0b\nc.py\0", {"a.py", "b\nc.py"}),
        (b"M\n", {"M"}),
    ],
)
def test_every_form_gives_the_paths(data: bytes, paths: set[str]) -> None:
    assert parse_changed_files(data) == ChangedFiles(frozenset(paths), complete=True)


def test_a_rename_in_nul_separated_status_output_gives_both_names() -> None:
    found = parse_changed_files(b"R087\0old name.py\0new\nname.py\0M\0other.py\0")
    assert {"old name.py", "new\nname.py", "other.py"} <= found.paths


def test_a_file_called_like_a_status_hides_no_path() -> None:
    for data in (b"M\0M\0A\0b.py\0", b"M\0b.py\0", b"R100\0M\0b.py\0"):
        assert "b.py" in parse_changed_files(data).paths


@pytest.mark.parametrize("data", [b"R100\0only-one-name\0", b"R100\told.py\n", b"M\ta\tb\n"])
def test_a_record_that_has_lost_a_name_is_bad_input(data: bytes) -> None:
    with pytest.raises(BadInput):
        parse_changed_files(data)


def test_a_list_as_long_as_github_ever_gives_is_not_complete() -> None:
    lines = [f"{n}.py".encode() for n in range(3_000)]
    assert not parse_changed_files(b"\n".join(lines)).complete
    assert not parse_changed_files(b"\0".join(lines)).complete
    assert parse_changed_files(b"\n".join(lines[1:])).complete
    assert parse_changed_files(b"\n".join(b"M\t" + line for line in lines)).complete


names = st.text(
    st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=12
).filter(lambda name: not name.startswith("./") and name.strip("\r\n") and "\ufeff" not in name)


@given(st.lists(st.tuples(st.sampled_from(["M", "A", "D", "R100", "C075"]), names, names)))
def test_no_name_of_git_s_own_output_is_ever_lost(changes: list[tuple[str, str, str]]) -> None:
    fields: list[str] = []
    expected: set[str] = set()
    for status, first, second in changes:
        mentioned = [first, second] if status[0] in "RC" else [first]
        fields += [status, *mentioned]
        expected |= set(mentioned)
    data = "".join(field + "\0" for field in fields).encode()
    assert expected <= parse_changed_files(data).paths


def test_a_name_that_is_no_utf_8_still_compares() -> None:
    assert parse_changed_files(b"caf\xe9.py\n").paths == {"caf\udce9.py"}
