-- Results that come out wrong, for their drawing.
scenario { ranks = 3, outcome = { wrong = true } }

local x, y = cuda.buffer("int32", 6), cuda.buffer("int32", 9)
fault.corrupt { rank = 1, call = 1, first = 2, count = 2 }
fault.corrupt { rank = 2, call = 2, first = 5, count = 1 }
fault.corrupt { rank = 0, call = 3, first = 1, count = 3 }
fault.corrupt { rank = 1, call = 4, first = 100000, count = 1 }
world:all_reduce(x:fill(function(i) return i + rank end))
world:all_gather(cuda.buffer("int32", 3):fill(function(i) return i + 10 * rank end), y)
world:all_to_all(cuda.buffer("int32", 9):fill(7), y)
world:all_reduce(cuda.buffer("int32", 100000):fill(2))
stream:sync()
