# Sourced by the tests of this folder: ends the test, skipped and with the reason, where no run on real
# GPUs is possible. Sets gpus and nccl, the version as 2.30.7.
about=$("$program" doctor --format json 2>/dev/null)
if ! jq -e .real_runs <<<"$about" >/dev/null; then
    jq -r '"skipped: " + (.why // "no GPU") + (if .to_do[0] then ": " + .to_do[0] else "" end)' <<<"$about"
    exit 77
fi
gpus=$(jq -r .gpus <<<"$about")
nccl=$(jq -r .nccl.version <<<"$about")
