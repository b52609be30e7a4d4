"""Completions and the manual page, which the program makes from its own options."""

import re
import shutil
import subprocess

import pytest
from test_commands import COMMANDS


def options_of(roipca, command):
    """The names that --help lists, each alone."""
    names = re.findall(r"^  ((?:-\w,)?--[\w-]+)", roipca(command, "--help"), flags=re.MULTILINE)
    return [name for entry in names for name in entry.split(",")]


def test_the_list_of_commands_is_complete(roipca):
    assert set(re.findall(r"^  ([a-z]+)  ", roipca("--help"), flags=re.MULTILINE)) == set(COMMANDS)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completions_know_every_option_of_every_command(roipca, shell):
    script = roipca("completions", shell)
    for command in COMMANDS:
        assert options_of(roipca, command)
        for name in options_of(roipca, command):
            if shell == "fish":
                flag = f"-l {name[2:]} " if name.startswith("--") else f"-s {name[1:]} "
                pattern = f"__fish_seen_subcommand_from {command}'.* {flag}"
            elif shell == "bash":
                pattern = rf"^    {command}\) words='(.* )?{name}[ ']"
            else:
                pattern = rf"^    {command}\)\n      _arguments.*\n(?:        .*\n)*?        .*{name}[,}}']"
            assert re.search(pattern, script, flags=re.MULTILINE), (command, name)
    if shell == "zsh":  # a flag takes no value
        assert "{-q,--quiet}'[Print no progress, summary or warnings]' " in script
    assert "bash, zsh or fish" in roipca.refuse("completions", "csh", code=2)


def complete_in_bash(roipca, *words):
    (roipca.folder / "completions").write_text(roipca("completions", "bash"))
    quoted = " ".join(f"'{word}'" for word in ("roipca", *words))
    script = f'source ./completions; COMP_WORDS=({quoted}); COMP_CWORD={len(words)}; _roipca; echo "${{COMPREPLY[@]}}"'
    done = subprocess.run(
        ["bash", "--norc", "-c", script], cwd=roipca.folder, capture_output=True, text=True, check=True
    )
    assert done.stderr == ""
    return done.stdout.split()


def test_bash_completes_commands_options_and_values(roipca):
    assert set(complete_in_bash(roipca, "")) == set(COMMANDS)
    assert complete_in_bash(roipca, "tr") == ["transform"]
    assert complete_in_bash(roipca, "fit", "a.npy", "--model") == ["--model-every"]
    assert complete_in_bash(roipca, "fit", "--header", "") == ["auto", "yes", "no"]
    assert "froipca" in complete_in_bash(roipca, "fit", "--method", "f")
    assert complete_in_bash(roipca, "export", "m", "--table", "s") == ["spectrum"]
    assert complete_in_bash(roipca, "fit", "") == []  # the names of files, which bash adds itself
    assert complete_in_bash(roipca, "--v") == ["--version"]


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_accept_their_scripts(roipca, tmp_path, shell):
    script = roipca("completions", shell)
    if shutil.which(shell) is None:
        return
    (tmp_path / "script").write_text(script)
    done = subprocess.run([shell, "-n", tmp_path / "script"], capture_output=True, text=True, check=True)
    assert done.stderr == ""


def test_the_manual_page_has_every_command_and_option(roipca, tmp_path):
    page = roipca("manual")
    plain = page.replace("\\-", "-").replace("\\fB", "").replace("\\fR", "").replace("\\fI", "")
    for command in COMMANDS:
        section = plain.split(f".SS roipca {command}\n")[1].split("\n.SS ")[0]
        for name in options_of(roipca, command):
            assert re.search(rf"^(-\w, )?{name}\b", section, flags=re.MULTILINE), (command, name)
    if shutil.which("groff") is not None:
        groff = ["groff", "-man", "-Tutf8", "-ww", "-P-cbou"]
        done = subprocess.run(groff, input=page.encode(), capture_output=True, check=True)
        assert done.stderr == b"" and b"ROIPCA_PYTHON" in done.stdout
