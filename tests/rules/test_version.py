"""The version says which revision was built: of a checkout, of a worktree, with packed references."""

import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from palio_rules.version import BUILD, RELEASE, revision_of

COMMIT = "1234567890abcdef1234567890abcdef12345678"


@pytest.fixture
def git(tmp_path: Path) -> Path:
    folder = tmp_path / ".git"
    (folder / "refs/heads").mkdir(parents=True)
    (folder / "HEAD").write_text("ref: refs/heads/main\n")
    return folder


def test_the_branch_that_is_checked_out_tells_its_commit(git, tmp_path):
    (git / "refs/heads/main").write_text(f"{COMMIT}\n")
    assert revision_of(tmp_path) == COMMIT


def test_a_commit_may_be_checked_out_without_a_branch(git, tmp_path):
    (git / "HEAD").write_text(f"{COMMIT}\n")
    assert revision_of(tmp_path) == COMMIT


def test_a_branch_may_be_packed(git, tmp_path):
    (git / "packed-refs").write_text(
        f"# pack-refs with: peeled\n{'0' * 40} refs/heads/other\n{COMMIT} refs/heads/main\n"
    )
    assert revision_of(tmp_path) == COMMIT


def test_a_worktree_has_its_own_head_and_the_branches_of_its_checkout(git, tmp_path):
    own = git / "worktrees/side"
    own.mkdir(parents=True)
    (own / "HEAD").write_text("ref: refs/heads/side\n")
    (own / "commondir").write_text("../..\n")
    (git / "refs/heads/side").write_text(f"{COMMIT}\n")
    side = tmp_path / "side"
    side.mkdir()
    (side / ".git").write_text(f"gitdir: {own}\n")
    assert revision_of(side) == COMMIT


def test_without_git_there_is_no_revision(tmp_path):
    assert revision_of(tmp_path) == ""


def test_this_build_names_its_release_first():
    assert re.fullmatch(re.escape(RELEASE) + r"(\+g[0-9a-f]{10})?", BUILD)


@pytest.mark.slow
def test_a_wheel_has_the_revision_of_its_source(wheel, tmp_path):
    with zipfile.ZipFile(wheel) as files:
        files.extractall(tmp_path)
    revision = revision_of(Path(__file__).parents[2])
    if not revision:
        pytest.skip("this checkout has no git")
    probe = "import sys; sys.path.insert(0, sys.argv[1]); from palio_rules.version import BUILD; print(BUILD)"
    done = subprocess.run([sys.executable, "-c", probe, str(tmp_path)], capture_output=True, text=True, check=True)
    assert done.stdout.strip().endswith(f"+g{revision[:10]}")
