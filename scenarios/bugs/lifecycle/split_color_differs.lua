scenario {
  about   = "one rank works out the wrong color: both parts of the split have another size than meant",
  matrix  = { ranks = { 4, 8 } },
  bug     = { entry = "H4", thread = "openxla/xla#37063",
              nccl = "split succeeds; the first use of the part that has one rank too many hangs" },
  outcome = function(run)
    return { hang = { culprit = run.nranks // 2, comm = "row", why = run.driver == "sim" and "skipped-call" or "comm-order" }, findings = 1 } -- a trial decides
  end,
}

local half = rank // (nranks // 2)
if rank == nranks // 2 then
  half = 0 -- ranks of the second half begin at nranks // 2: this one is in the wrong part
end
local row = world:split { color = half, name = "row" }
local x = cuda.buffer("float32", 8):fill(1)

if rank < nranks // 2 then
  row:all_reduce(x)
end
stream:sync()
world:all_reduce(x)
stream:sync()
