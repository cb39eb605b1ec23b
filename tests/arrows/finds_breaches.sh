#!/usr/bin/env bash
# Plants each kind of breach in a tree of its own: check.sh must pass the clean tree, and name the
# file, the line and the rule of each breach.
set -u
here=$(cd "$(dirname "$0")" && pwd)
tree=$(mktemp -d) || exit 1
trap 'rm -rf "$tree"' EXIT
failed=0

plant() { # plant FILE TEXT
    mkdir -p "$tree/$(dirname "$1")"
    printf '%b' "$2" >"$tree/$1"
}

clean() {
    rm -rf "${tree:?}"/*
    plant src/base/mem.c '#include "base/mem.h"\n\nvoid f(void)\n{\n    _exit(70);\n}\n'
    plant src/run/run.c '#include "run/run.h"\n#include "verify/verify.h"\n#include "ncclscript/nccl_abi.h"\n'
    plant src/sim/comm.c '/* may not exit() */\nint g(void) { return s->abort(1) + ncclCommAbort(c); }\n// abort()\n'
    plant src/shim/exec/exec.c '#include "report/report.h"\n#include "shim/shim.h"\nvoid h(void) { abort(); }\n'
    plant src/shim/shim.c '#include "shim/gen/a.h"\n'
    plant src/notation/check.c '#include "notation/yaml/yaml.h"\n'
    plant src/prompt/show.c '#include "notation/lint/lint.h"\n'
    plant src/cli/main.c '#include "script/script.h"\nint main(void) { exit(1); }\n'
    plant src/sim/machine.c '#include "sim/nccl/request.h"\n'
    plant src/sim/cuda/gen/a.h '#include "sim/kernel/world.h"\n'
    plant src/sim/README.md '# Sim\n\n## Rules\n\n1. One: `data.c`, `sim_move`.\n2. Two.\n\n## Invariants\n\n1. Also: `run/run.c`.\n'
    plant src/sim/data.c '/* Moves (sim/README.md, rules 1\n * and 2). And sim/README.md, invariant 1. */\nvoid sim_move(void);\n'
    plant src/driver/open.c 'const char *text = "call exit(3)";\n#include "api/driver.h"\n'
}

expect() { # expect PATTERN: the check fails and says so
    local said
    if said=$(bash "$here/check.sh" "$tree" 2>&1); then
        echo "not found: $1"
        failed=1
    elif ! grep -qE "$1" <<<"$said"; then
        printf 'wanted %s, got:\n%s\n' "$1" "$said"
        failed=1
    fi
}

clean
bash "$here/check.sh" "$tree" || { echo "the clean tree fails"; failed=1; }

breach() { # breach FILE TEXT PATTERN
    clean
    plant "$1" "$2"
    expect "$3"
}

breach src/base/str.c '\n#include "api/types.h"\n' '^src/base/str.c:2: "api/types.h": base may include only: no other room'
breach src/driver/sim.c '#include "sim/world.h"\n' '^src/driver/sim.c:1: "sim/world.h": driver may'
breach src/cli/peek.c '#include "sim/world.h"\n' '^src/cli/peek.c:1: "sim/world.h": cli may'
breach src/verify/a.c '#  include "sim/data.h"\n' '^src/verify/a.c:1: '
breach src/diagnose/a.c '#include "verify/verify.h"\n' '^src/diagnose/a.c:1: '
breach src/script/a.c '#include "report/report.h"\n' '^src/script/a.c:1: '
breach src/api/gen/a.c '#include "driver/driver.h"\n' '^src/api/gen/a.c:1: "driver/driver.h": api may include only: base'
breach src/notation/yaml/a.c '#include "notation/check.h"\n' '^src/notation/yaml/a.c:1: "notation/check.h": notation/yaml may include only: base'
breach src/notation/yaml/b.c '#include "notation/lint/lint.h"\n' '^src/notation/yaml/b.c:1: .*notation/yaml may'
breach src/prompt/a.c '#include "notation/check.h"\n' '^src/prompt/a.c:1: "notation/check.h": prompt may'
breach src/shim/a.c '#include "report/report.h"\n' '^src/shim/a.c:1: "report/report.h": shim may'
breach src/shim/b.c '#include "shim/exec/site.h"\n' '^src/shim/b.c:1: "shim/exec/site.h": shim may include only: base api sim'
breach src/sim/kernel/a.c '#include "sim/comm/comm.h"\n' '^src/sim/kernel/a.c:1: "sim/comm/comm.h": sim/kernel may include only: base api'
breach src/sim/data/a.c '#include "sim/cuda/op.h"\n' '^src/sim/data/a.c:1: .*sim/data may'
breach include/ncclscript/a.h '#include "api/types.h"\n' '^include/ncclscript/a.h:1: '
breach src/sim/a.c '#include "world.h"\n' '^src/sim/a.c:1: .*an include path is'
breach src/attic/a.c '#include "base/mem.h"\n' '^src/attic/a.c:1: room attic is not in the table'
breach src/sim/a.c 'void f(void)\n{\n    abort();\n}\n' '^src/sim/a.c:3: only room cli and shim/exec'
breach src/run/a.c 'void f(void) { if (x) exit (1); }\n' '^src/run/a.c:1: only room cli and shim/exec'
breach src/run/a.c 'char c = 0x22; /* " */ void f(void) { _exit(1); }\n' '^src/run/a.c:1: only room cli and shim/exec'
breach src/base/mem.c 'void f(void) { exit(1); }\n' '^src/base/mem.c:1: only room cli and shim/exec'
breach src/sim/a.c '/* (sim/README.md, rule 3) */\n' '^src/sim/a.c: cites sim/README.md, rule 3, which is not there'
breach src/sim/a.c '/* So it is (sim/README.md,\n * rules 1 and 4). */\n' '^src/sim/a.c: cites sim/README.md, rule 4'
breach src/sim/a.c '/* (sim/README.md, invariant 2) */\n' '^src/sim/a.c: cites sim/README.md, invariant 2'
breach src/run/a.c '/* (run/README.md, rule 1) */\n' '^src/run/a.c: cites run/README.md, which is not there'
breach src/run/README.md 'As `src/sim/README.md`, rule 9, says.\n' '^src/run/README.md: cites src/sim/README.md, rule 9'
breach src/run/README.md 'See `sim/gone.c`.\n' '^src/run/README.md: no file sim/gone.c'
breach src/run/README.md 'See `gone_function`.\n' '^src/run/README.md: no name gone_function'
breach tests/a.txt "a\nb $(printf 'TO%s' DO): c\n" '^tests/a.txt:2: a word'
breach README.md "see $(printf '/wo%s' rk/x)\n" '^README.md:1: a word'

rm -rf "${tree:?}"/*
expect 'no sources'
exit $failed
