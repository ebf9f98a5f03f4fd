"""The command that prints what a shell reads at its start: `errdex shell-hook`."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

_HINT = "errdex: exit code %s. errdex-again runs the command once more and explains the error."
_BASH = r"""
# After a failed command, errdex-again runs it once more under `errdex run`.
__errdex_after() {
    local code=$? number='\!'
    number=${number@P}
    if [[ -n ${__errdex_number-} && $number != "$__errdex_number" ]]; then
        local line
        line=$(HISTTIMEFORMAT= builtin history 1 2>/dev/null)
        [[ $line =~ ^\ *[0-9]+\*?\ +(.*)$ ]] && line=${BASH_REMATCH[1]}
        case $code in
            0 | 130 | 141 | 146 | 147 | 148) ;;
            *)
                if [[ -n $line && $line != errdex* ]]; then
                    __errdex_line=$line
                    printf 'HINT\n' "$code" >&2
                fi
                ;;
        esac
    fi
    __errdex_number=$number
    return $code
}
errdex-again() {
    [[ -n ${__errdex_line-} ]] || { echo 'errdex: no command has failed yet.' >&2; return 1; }
    printf '%q\n' "$__errdex_line" >&2
    command errdex run -- bash -c "$__errdex_line"
}
if ((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] < 404)); then
    echo 'errdex: the hook needs bash 4.4 or newer.' >&2
else
    PROMPT_COMMAND="__errdex_after${PROMPT_COMMAND:+;$PROMPT_COMMAND}"
fi
"""
_ZSH = r"""
# After a failed command, errdex-again runs it once more under `errdex run`.
__errdex_before() { __errdex_typed=$1 }
__errdex_after() {
    local code=$? typed=${__errdex_typed-}
    __errdex_typed=
    case $code in
        0 | 130 | 141 | 146 | 147 | 148) ;;
        *)
            if [[ -n $typed && $typed != errdex* ]]; then
                __errdex_line=$typed
                printf 'HINT\n' "$code" >&2
            fi
            ;;
    esac
    return $code
}
errdex-again() {
    [[ -n ${__errdex_line-} ]] || { echo 'errdex: no command has failed yet.' >&2; return 1 }
    print -r -- "${(V)__errdex_line}" >&2
    command errdex run -- zsh -c "$__errdex_line"
}
autoload -Uz add-zsh-hook
add-zsh-hook preexec __errdex_before
add-zsh-hook precmd __errdex_after
"""
_FISH = r"""
# After a failed command, errdex-again runs it once more under `errdex run`.
function __errdex_after --on-event fish_postexec
    set -l code $status
    if not contains -- $code 0 130 141 146 147 148; and not string match -q 'errdex*' -- $argv[1]
        if test -n "$argv[1]"
            set -g __errdex_line $argv[1]
            printf 'HINT\n' $code >&2
        end
    end
end
function errdex-again
    if not set -q __errdex_line
        echo 'errdex: no command has failed yet.' >&2
        return 1
    end
    string escape -- $__errdex_line >&2
    command errdex run -- fish -c $__errdex_line
end
"""


class Shell(StrEnum):
    """The shells that a hook is written for."""

    BASH = "bash"
    ZSH = "zsh"
    FISH = "fish"


_HOOKS = {Shell.BASH: _BASH, Shell.ZSH: _ZSH, Shell.FISH: _FISH}


def shell_hook(
    shell: Annotated[Shell, typer.Argument(help="The shell that reads the hook.")],
) -> None:
    """Print a hook that offers to run a failed command again under `errdex run`.

    Add it to your shell's start file: `eval "$(errdex shell-hook bash)"` to .bashrc, the same with
    zsh to .zshrc, `errdex shell-hook fish | source` to config.fish. Nothing is run by itself: the
    command `errdex-again` does it when you type it.
    """
    typer.echo(_HOOKS[shell].lstrip().replace("HINT", _HINT), nl=False)
