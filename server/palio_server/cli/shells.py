"""Completion for bash, zsh and fish: their requests, and the answers.

A subclass of click's for each, with a script of its own: click's cut descriptions at commas (fish), take the words that
bash has broken at colons for several, replace `--format=c` by `csv`, and put a blank behind words that continue.

All three send the command line up to the cursor; its last word is completed.
"""

import os
import re
import shlex
from typing import Any, ClassVar

from click.shell_completion import (
    BashComplete,
    CompletionItem,
    FishComplete,
    ShellComplete,
    ZshComplete,
    add_completion_class,
)

from palio_rules.completing import GOES_ON

_END = "\ue000"  # marks the cursor while a line is read, so that the last word exists even if it is empty
_SPECIAL = re.compile(r"[^\w@%+=:,./~^-]")  # for bash, outside of quotes

_BASH = """\
%(complete_func)s() {
    local answer line typed=${COMP_LINE:0:COMP_POINT}
    COMPREPLY=()
    answer=$(env COMP_WORDS="$typed" COMP_KEPT="${typed%%"$2"}" %(complete_var)s=bash_complete "$1" 2>/dev/null)
    while IFS= read -r line; do
        case $line in
            plain,*) COMPREPLY+=("${line#plain,}") ;;
            dir,*) compopt -o dirnames ;;
            file,*) compopt -o default ;;
        esac
    done <<< "$answer"
    if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *[%(goes_on)s] ]]; then
        compopt -o nospace
    fi
}

complete -o nosort -F %(complete_func)s %(prog_name)s
"""

_ZSH = """\
#compdef %(prog_name)s

%(complete_func)s() {
    local -a response described finished unfinished
    local type key descr paths found=1
    response=("${(@f)$(env COMP_WORDS="${(j: :)words[1,CURRENT-1]} $QIPREFIX$IPREFIX$PREFIX" \
%(complete_var)s=zsh_complete %(prog_name)s 2>/dev/null)}")
    for type key descr in "${(@)response}"; do
        case $type in
            plain)
                if [[ $descr != _ ]]; then
                    described+=("$key:$descr")
                elif [[ $key == *[%(goes_on)s] ]]; then
                    unfinished+=("$key")
                else
                    finished+=("$key")
                fi ;;
            dir|file)
                [[ $PREFIX == -*=* ]] && compset -P 1 '*='
                [[ $type == dir ]] && paths=-/ || paths=-f
                _path_files $paths && found=0 ;;
        esac
    done
    (( $#described )) && _describe -V %(prog_name)s described && found=0
    (( $#finished )) && compadd -V %(prog_name)s -a finished && found=0
    (( $#unfinished )) && compadd -V %(prog_name)s -S '' -a unfinished && found=0
    return found
}

if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
    %(complete_func)s "$@"
else
    compdef %(complete_func)s %(prog_name)s
fi
"""

_FISH = """\
function %(complete_func)s
    set -l typed (commandline -cp | string collect)
    for line in (env COMP_WORDS=$typed %(complete_var)s=fish_complete %(prog_name)s 2>/dev/null)
        set -l parts (string split --max 1 "," -- $line)
        switch $parts[1]
            case plain
                printf '%%s\\n' $parts[2]
            case dir
                __fish_complete_directories $parts[2]
            case file
                complete --do-complete "__fish_command_without_completions "(commandline -ct)
        end
    end
end

complete --no-files --command %(prog_name)s --arguments "(%(complete_func)s)"
"""


def words_of(line: str) -> tuple[list[str], bool]:
    """Return the words of a line up to the cursor, as a shell reads them, and True if the last has open quotes.

    >>> words_of("palio run ")
    (['palio', 'run', ''], False)
    """
    reader = shlex.shlex(line + _END, posix=True)
    reader.whitespace_split, reader.commenters = True, ""
    words: list[str] = []
    in_quotes = False
    try:
        words.extend(reader)
    except ValueError:  # no closing quotation: the word so far, after all words before
        words.append(reader.token)
        in_quotes = True
    return [word.removesuffix(_END) for word in words], in_quotes


def _escaped(found: re.Match[str]) -> str:
    return f"\\{found[0]}"


class _LineComplete(ShellComplete):
    """The common part of all shells."""

    def source_vars(self) -> Any:
        return {**super().source_vars(), "goes_on": GOES_ON}

    def get_completion_args(self) -> tuple[list[str], str]:
        words, _ = words_of(os.environ["COMP_WORDS"])
        return words[1:-1], words[-1]

    def get_completions(self, args: list[str], incomplete: str) -> list[CompletionItem[str]]:
        """Return nothing, silently, for a line that cannot be read, because it is not finished."""
        self.ctx_args = {**self.ctx_args, "obj": tuple(args)}  # for `specs.game_before`
        name, equals, _ = incomplete.partition("=")
        try:
            items = super().get_completions(args, incomplete)
        except Exception:  # noqa: BLE001  # any error would be printed into the line that is typed
            return []
        if equals and name.startswith("-"):  # click has taken `--format=` off
            for item in items:
                item.value = f"{name}={item.value}"
        for item in items:
            item.help = " ".join(item.help.split()) if item.help else None
        return items


class PalioBash(_LineComplete, BashComplete):
    """Bash: readline replaces the text behind the last break of a word (`:`, `=`), and does not quote."""

    source_template: ClassVar[str] = _BASH

    def get_completion_args(self) -> tuple[list[str], str]:
        _, self._in_quotes = words_of(os.environ["COMP_WORDS"])
        self._kept = words_of(os.environ.get("COMP_KEPT", ""))[0][-1]
        return super().get_completion_args()

    def format_completion(self, item: CompletionItem[Any]) -> str:
        value = str(item.value).removeprefix(self._kept)
        return f"{item.type},{value if self._in_quotes else _SPECIAL.sub(_escaped, value)}"


class PalioZsh(_LineComplete, ZshComplete):
    """Zsh: `compadd` quotes, and matches the typed text."""

    source_template: ClassVar[str] = _ZSH


class PalioFish(_LineComplete, FishComplete):
    """Fish: it quotes, and puts no blank behind `:`, `=`, `,` and `/`."""

    source_template: ClassVar[str] = _FISH


SHELLS: dict[str, type[ShellComplete]] = {"bash": PalioBash, "zsh": PalioZsh, "fish": PalioFish}


def register() -> None:
    """Let click answer the shells by these classes."""
    for shell in SHELLS.values():
        add_completion_class(shell)
