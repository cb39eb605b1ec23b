# Nothing of this has threads.
@ without-tsan

# Help, versions, and what is refused before anything runs.
$ ncclscript
! usage: ncclscript COMMAND [options] [operands]
! ...
!   run FILE|DIR...  <*>
! ...
! `ncclscript repl` opens a prompt
? 2

# The first help shows six commands and how to see more; `help` shows all.
$ ncclscript --help
> usage: ncclscript COMMAND [options] [operands]
>
> <*>
> <*>
>
> Commands
>   run FILE|DIR...     <*>
>   exec -- PROGRAM...  <*>
>   diagnose FILE|DIR...  <*>
>   explain [TOPIC]     <*>
>   lesson <*>
>   doctor              <*>
>   help [COMMAND]      more: all commands and exit statuses; a command and its options
>
> Options
> ...

$ ncclscript help
> usage: ncclscript COMMAND [options] [operands]
> ...
>   completions bash|zsh|fish  <*>
>   man [COMMAND]       <*>
>   help [COMMAND]      <*>
> ...
> Exit status
>   0    as expected
> ...
>   130  interrupted
>   141  the reader of the output went away

$ diff <(ncclscript --help) <(ncclscript -h)

# No command has two options of one name.
$ for c in $(ncclscript help | sed -n 's/^  \([a-z]*\) .*/\1/p' | grep -vx help); do ncclscript help $c | grep -oE '^ +(-.,)? *--[a-z_-]+' | sort | uniq -d; done

# On a terminal a pager shows the manual page as text; elsewhere it is for man(1).
$ command -v script >/dev/null && PAGER='head -n 1' script -qec 'ncclscript man run' /dev/null | tr -d '\r' || echo 'usage: ncclscript run [options] FILE|DIR...'
> usage: ncclscript run [options] FILE|DIR...

$ ncclscript man run | head -n 1
> .TH <*>

$ ncclscript --version
> ncclscript 1.<*>
> simulates NCCL 2.32.3
> Lua 5.4.<*>

$ diff <(ncclscript -V) <(ncclscript --version)

$ ncclscript run --help
> usage: ncclscript run [options] FILE|DIR...
> ...
>   -n, --ranks RANKS  <*>
> ...
>       --policy strict|typical  <*>
> ...

$ diff <(ncclscript help run) <(ncclscript run -h)

$ ncclscript rnu
! ncclscript: unknown command `rnu`
! did you mean `run`? try `ncclscript --help`
? 2

$ ncclscript help frobnicate
! ncclscript: unknown command `frobnicate`
! try `ncclscript --help`
? 2

$ ncclscript --versoin
! ncclscript: unknown option `--versoin`
! did you mean `--version`? try `ncclscript --help`
? 2

$ ncclscript run
! ncclscript run: no scenario was given
! try `ncclscript run --help`
? 2

$ ncclscript run --sede 1 pass.lua
! ncclscript run: unknown option `--sede`
! did you mean `--seed`? try `ncclscript run --help`
? 2

# An abbreviation would break when another option is added.
$ ncclscript run --see 1 pass.lua
! ncclscript run: unknown option `--see`
! did you mean `--seed`? try `ncclscript run --help`
? 2

$ ncclscript run --verb pass.lua
! ncclscript run: unknown option `--verb`
! did you mean `--verbose`? try `ncclscript run --help`
? 2

$ ncclscript run -qz pass.lua
! ncclscript run: unknown option `-z`
! try `ncclscript run --help`
? 2

$ ncclscript run --quiet=1 pass.lua
! ncclscript run: option `--quiet` takes no value
! try `ncclscript run --help`
? 2

$ ncclscript run pass.lua --ranks
! ncclscript run: option `--ranks` needs a value
! try `ncclscript run --help`
? 2

$ ncclscript run -n 0 pass.lua
! ncclscript run: `--ranks 0`: expected a whole number from 1 to 65536
! try `ncclscript run --help`
? 2

$ ncclscript run -n 99999999999999999999 pass.lua
! ncclscript run: `--ranks 99999999999999999999`: expected a whole number from 1 to 65536
! try `ncclscript run --help`
? 2

$ ncclscript run --seed -1 pass.lua
! ncclscript run: `--seed -1`: expected a whole number from 0
! try `ncclscript run --help`
? 2

$ ncclscript run --policy=typcal pass.lua
! ncclscript run: `--policy typcal`: expected `strict` or `typical`
! did you mean `typical`? try `ncclscript run --help`
? 2

$ ncclscript run --timeout soon pass.lua
! ncclscript run: `--timeout soon`: expected a time, as `10s`, `500ms` or `2m`
! try `ncclscript run --help`
? 2

$ ncclscript run missing.lua
! missing.lua: error: <*>
? 2

$ ncclscript run -- --seed
! --seed: error: <*>
? 2

$ mkdir empty && ncclscript run empty
! ncclscript run: nothing was executed: no scenarios (*.lua, *.yaml) there
? 5

$ ncclscript run --set n pass.lua
! ncclscript run: `--set n`: expected NAME=VALUE
! try `ncclscript run --help`
? 2

$ ncclscript check --set =1 pass.lua
! ncclscript check: `--set =1`: expected NAME=VALUE
! try `ncclscript check --help`
? 2

$ ncclscript run --repair --format tree pass.lua
! ncclscript: error: --repair appears in text and JSON, not in --format tree
? 2

# No line of the scenario is wrong, so none is quoted.
$ ncclscript run --set foo=1 pass.lua
! pass.lua: error: no parameter `foo`
!   hint: the scenario <*>
? 2
