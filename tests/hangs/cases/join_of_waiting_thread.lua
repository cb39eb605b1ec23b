scenario { ranks = 2, outcome = { hang = { culprit = 1, waiting = 0, why = "skipped-call" } } }

if rank == 0 then
  local worker = spawn(function()
    local x = cuda.buffer("int32", 4):fill(1)
    world:all_reduce(x)
    stream:sync()
  end)
  worker:join()
end
