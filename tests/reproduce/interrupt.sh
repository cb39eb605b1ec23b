#!/usr/bin/env bash
# An interrupt ends the search of `shrink`: it writes the smallest scenario that it has found so far.
set -u
. "$(dirname "$0")/common.bash"
command -v python3 >/dev/null || { echo "left out: there is no python3"; exit 77; }

# As many steps as keep shrink busy for many trials behind the one that is interrupted.
cat >"$work/job.lua" <<'EOF'
scenario { ranks = 32 }
local x = cuda.buffer("float32", 16):fill(0)
local tp = world:split { color = rank // 4, name = "tp" }
for step = 1, 60 do
    for part = 0, 2 do
        if step % 3 == (rank + part) % 3 then tp:all_gather(x, { count = 1 }) end
    end
    if not (rank == 5 and step == 42) then world:all_reduce(x) end
end
stream:sync()
EOF

# Sends the signal when the progress shows the first trial. The progress is for terminals.
cat >"$work/interrupt.py" <<'EOF'
import os, signal, subprocess, sys, pty
ours, its = pty.openpty()
program = subprocess.Popen(sys.argv[2:], stderr=its)
os.close(its)
seen, sent = b"", False
while True:
    try:
        some = os.read(ours, 4096)
    except OSError: # it has ended
        break
    if not some:
        break
    seen += some
    if not sent and b" trials: " in seen:
        sent = True
        program.send_signal(getattr(signal, sys.argv[1]))
sys.stderr.buffer.write(seen.replace(b"\r", b"\n"))
sys.exit(program.wait() if sent else 99)
EOF

for signal in SIGINT SIGTERM; do
    for ending in lua yaml; do
        status "$signal, $ending" 130 python3 "$work/interrupt.py" "$signal" "$NCCLSCRIPT" shrink --budget 1h "$work/job.lua" \
            -o "$work/s.$ending" --force
        expect "$signal, $ending" "$work/err" \
            'shrink: 32 ranks, [0-9]+ calls became [0-9]+ ranks, [0-9]+ calls in [0-9]+ trials?; it was interrupted: this is the smallest so far'
        expect "$signal, $ending" "$work/s.$ending" 'Shrunk by ncclscript from .*job\.lua: 32 ranks'
        status "$signal, $ending: what is left" 0 "$NCCLSCRIPT" run "$work/s.$ending"
    done
done

finish interrupt
