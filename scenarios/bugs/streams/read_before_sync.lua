scenario {
  about   = "the call has returned, so the result must be there: a stale read",
  params  = { by = "host", late = 1e-3 },
  matrix  = { ranks = { 2, 4 }, by = { "host", "stream" } },
  needs   = { driver = "sim" }, -- what a race yields is certain on the virtual clock only
  bug     = { entry = "G1", thread = "NVIDIA/nccl#1065",
              nccl = "no error; the values read are old or new, depending on the time" },
  outcome = function(run)
    local all = {}
    for r = 0, run.nranks - 1 do all[r + 1] = r end
    return { wrong = { rank = 0 }, findings = 1,
             finding = { rule = "read-before-sync", culprit = all, call = 1 } }
  end,
}

local x    = cuda.buffer("float32", 1024):fill(rank + 1)
local sum  = cuda.buffer("float32", 1024):fill(0)
local copy = cuda.buffer("float32", 1024, { memory = "pinned" })
local side = cuda.stream()

stream:delay(param.late) -- the kernel that computes what is to be reduced
world:all_reduce(x, sum)
if param.by == "host" then
  copy:copy_from(sum) -- a copy on another stream, as all that the host reads: the sum is not there yet
else
  copy:copy_from(sum, { stream = side }) -- nothing orders this stream behind the other one
  side:sync()
end
expect.equal(copy, nranks * (nranks + 1) / 2)
stream:sync()
