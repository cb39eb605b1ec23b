scenario {
  about   = "two communicators on streams of their own, in opposite order, and the hosts wait in between",
  params  = { wait = "stream" },
  matrix  = { ranks = { 2, 4 }, wait = { "stream", "device", "value" } },
  bug     = { entry = "F3", thread = "meta-pytorch/torchrec#4149",
              nccl = "hangs; without the waits it would have passed" },
  outcome = function(run)
    return { hang = { why = "comm-order", culprit = run.nranks == 2 and { 0, 1 } or 3, waiting = "all",
                      call = 2 }, findings = 1 }
  end,
}

local rows = world:split { color = 0, name = "rows" }
rows.stream = cuda.stream()
local x, y = cuda.buffer("float32", 64):fill(1), cuda.buffer("float32", 64):fill(1)

local function sum(comm, buffer)
  comm:all_reduce(buffer)
  -- The mistake: streams are independent, but the host goes on only when this sum is there.
  if param.wait == "stream" then comm.stream:sync()
  elseif param.wait == "device" then cuda.sync()
  else comm.stream:sync() print(buffer[1] > 0) end -- what item() and tolist() do
end

sum(world, x)
sum(rows, y)
if rank == nranks - 1 then
  sum(rows, y)
  sum(world, x)
else
  sum(world, x)
  sum(rows, y)
end
