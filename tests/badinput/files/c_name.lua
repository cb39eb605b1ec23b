scenario { ranks = 2 }
C.ncclAllreduce()
