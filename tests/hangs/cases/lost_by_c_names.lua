scenario {
  ranks   = 3,
  about   = "what C names made and nobody freed: a note for each line",
  outcome = { pass = true, findings = 0,
              finding = { rule = "never-freed", culprit = { 0, 1, 2 }, certainty = "certain" } },
}

for _ = 1, rank + 1 do C.check(C.cudaMalloc(64)) end
if rank == 1 then C.check(C.cudaEventCreate()) end
C.check(C.cudaFree(C.check(C.cudaMalloc(64))))
