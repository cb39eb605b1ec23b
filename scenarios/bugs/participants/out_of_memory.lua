scenario {
  about   = "one rank gets no memory, logs it and is done; the others go on to the collective",
  bug     = { entry = "A4", thread = { "NVIDIA/nccl#582", "openucx/ucc#1300" },
              nccl = "NCCL hears nothing of it: the others wait for ever" },
  params  = { odd = 1 },
  matrix  = { ranks = { 2, 4, 8 }, odd = { 0, 1, 3 } },
  exclude = { { ranks = 2, odd = 3 }, { ranks = 8, odd = 1 } },
  outcome = function(run)
    return { hang = { culprit = run.param.odd, call = 2, waiting = "others", why = "error-path" },
             findings = 1 }
  end,
}

local x = cuda.buffer("float32", 16):fill(1)
world:all_reduce(x)

local function batch(count)
  local ok, y = pcall(cuda.buffer, "float32", count)
  return ok and y -- the error ends here
end

local y = batch(rank == param.odd and 2^42 or 16)
if y then
  world:all_reduce(y:fill(1))
end
stream:sync()
