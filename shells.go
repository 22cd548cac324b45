package main

// shells are those that completion has a script for.
func shells() []string { return []string{"bash", "zsh", "fish", "powershell"} }

func shellScript(shell string) (string, bool) {
	script, ok := map[string]string{"bash": bashScript, "zsh": zshScript, "fish": fishScript, "powershell": powerShellScript}[shell]
	return script, ok
}

// bashScript works from bash 3.2 on, which macOS has. Bash takes "=" and ":" for
// the ends of words: the words are put together again by the blanks between them,
// and of a candidate only what follows the last of these is given back.
const bashScript = `# bash completion for hoopoe
_hoopoe() {
    local rest=${COMP_LINE:0:COMP_POINT} words=() word trimmed i line text prefix
    for ((i = 0; i <= COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]}
        trimmed=${rest#"${rest%%[![:space:]]*}"}
        if [[ $trimmed == "$word"* ]]; then
            prefix=$rest rest=${trimmed#"$word"}
        else
            prefix=$rest word=$trimmed rest=
        fi
        if ((i > 0)) && [[ $prefix == "$trimmed" && -n $word ]]; then
            words[${#words[@]}-1]+=$word
        else
            words+=("$word")
        fi
    done
    local at=${words[${#words[@]}-1]} program=${words[0]}
    program=${program/#\~/$HOME}
    prefix=
    if [[ $at == *[=:]* && $COMP_WORDBREAKS == *[=:]* ]]; then
        prefix=${at%"${at##*[=:]}"}
    fi
    COMPREPLY=()
    while IFS=$'\t' read -r line _; do
        case $line in
        :files) compopt -o filenames 2>/dev/null
            while IFS= read -r text; do COMPREPLY+=("$text"); done < <(compgen -f -- "${at#"$prefix"}") ;;
        :folders) compopt -o filenames 2>/dev/null
            while IFS= read -r text; do COMPREPLY+=("$text"); done < <(compgen -d -- "${at#"$prefix"}") ;;
        *)  [[ $line == *[/=] ]] && compopt -o nospace 2>/dev/null
            printf -v text %q "${line#"$prefix"}"
            COMPREPLY+=("$text") ;;
        esac
    done < <("$program" __complete "${words[@]:1:${#words[@]}-2}" "+$at" 2>/dev/null)
}
complete -F _hoopoe hoopoe
`

const zshScript = `#compdef hoopoe
_hoopoe() {
    local line text about
    local -a done_texts done_rows open_texts open_rows
    local wants_files= wants_folders=
    local -a lines
    local program=${(Q)words[1]}
    lines=("${(@f)$("${program/#\~/$HOME}" __complete "${(@Q)words[2,CURRENT-1]}" "+${(Q)words[CURRENT]}" 2>/dev/null)}")
    local prefix=
    if [[ ${words[CURRENT]} == --*=* ]]; then
        prefix=${words[CURRENT]%%=*}=
        compset -P '*='
    fi
    for line in $lines; do
        text=${line%%$'\t'*} about=${line#*$'\t'}
        case $text in
        '') continue ;;
        :files) wants_files=1; continue ;;
        :folders) wants_folders=1; continue ;;
        esac
        text=${text#$prefix}
        about=${about:+$text -- $about}
        if [[ $text == *[/=] ]]; then
            open_texts+=("$text") open_rows+=("${about:-$text}")
        else
            done_texts+=("$text") done_rows+=("${about:-$text}")
        fi
    done
    (( $#done_texts )) && compadd -l -d done_rows -- $done_texts
    (( $#open_texts )) && compadd -l -S '' -d open_rows -- $open_texts
    [[ -n $wants_files ]] && _files
    [[ -n $wants_folders ]] && _files -/
    return 0
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
    _hoopoe "$@"
else
    compdef _hoopoe hoopoe
fi
`

const fishScript = `# fish completion for hoopoe
function __hoopoe_candidates
    set -l words (commandline -opc)
    set -l at (commandline -ct)
    set -l program (string replace -r '^~' $HOME -- $words[1])
    for line in ($program __complete $words[2..-1] "+$at" 2>/dev/null)
        switch $line
            case ':files*'
                __fish_complete_path (string replace -r '^--[^=]*=' '' -- $at)
            case ':folders*'
                __fish_complete_directories (string replace -r '^--[^=]*=' '' -- $at)
            case '*'
                echo $line
        end
    end
end
complete -c hoopoe -f -a '(__hoopoe_candidates)'
`

const powerShellScript = `# PowerShell completion for hoopoe
Register-ArgumentCompleter -Native -CommandName hoopoe -ScriptBlock {
    param($at, $ast, $cursor)
    $words = @($ast.CommandElements | Where-Object { $_.Extent.EndOffset -lt $cursor -or ($_.Extent.EndOffset -eq $cursor -and -not $at) } | ForEach-Object { $_.Extent.Text })
    $program = $words[0]
    $before = @($words | Select-Object -Skip 1)
    & $program __complete @before "+$at" 2>$null | ForEach-Object {
        $text, $about = $_ -split [char]9, 2
        if ($text -eq ':files' -or $text -eq ':folders') {
            $kind = @{}
            if ($text -eq ':folders') { $kind = @{ Directory = $true } }
            Get-ChildItem -Path "$at*" @kind -ErrorAction SilentlyContinue | ForEach-Object {
                $path = Join-Path (Split-Path $at) $_.Name
                [System.Management.Automation.CompletionResult]::new($path, $_.Name, 'ProviderItem', $path)
            }
        } else {
            if (-not $about) { $about = $text }
            [System.Management.Automation.CompletionResult]::new($text, $text, 'ParameterValue', $about)
        }
    }
}
`
