scenario {
  ranks   = 3,
  about   = "every rank is stopped: nobody is left to come to the end",
  outcome = { lost = 1, finding = { rule = "rank-lost", culprit = { 0, 1, 2 } }, findings = 1 },
}

local x = cuda.buffer("float32", 8):fill(1)
world:all_reduce(x)
stream:sync()
fault.kill { rank = 0 }
if rank == 1 then
  fault.stall()
end
fault.kill { rank = 2, func = "cudaFree" }
x:free()
