-- Findings: numbers. A page for each rule of the diagnosis; fields: pages.lua.

group { "numerics", "numbers that do not fit" }

class { "integer-average", "an average of integers lost its fraction, or its sum wrapped round",
  what = [[
The result of a reduction with `avg` is what NCCL computes, and not the mean of what went in.]],
  why = [[
NCCL sums integers in their own type and then divides by the number of ranks, towards zero:
1, 2, 2, 2 give 1, not 1.75. A sum that does not fit wraps round before it is divided:
100 and 100 as int8 give -28.]],
  see = [[
The report is a note: it names the call, an element, what the ranks gave, the result and the exact
mean. One note for each line; the verdict stays. On a cluster there is no error.]],
  repair = [[
Convert to float32 before averaging. Where whole numbers are wanted, sum in a type that holds the
sum, and divide with the rounding that is meant.]],
  ends = "pass", scenario = [[
scenario { ranks = 2 }
local x = cuda.buffer("int32", 4):fill(rank + 1)
world:all_reduce(x, { op = "avg" })
stream:sync()
expect.equal(x, 1) -- of 1 and 2 the mean is 1.5]],
  also = "sum-overflow" }

class { "sum-overflow", "a sum does not fit its type",
  what = [[
A sum, or a part of it on the way, is beyond what the type holds: float16, bfloat16, float32 and
float64 become infinite, a float8 ends at its largest number, integers wrap round.]],
  why = [[
NCCL adds in the type of the buffer. float16 ends at 65504, so two gradients of 40000 are too
much. A part of the sum can overflow though the whole would fit: then algorithm and topology
decide, because they decide the order. Not told: integers of 64 bits,
and a part of a float8's sum whose end is a smaller number again.]],
  see = [[
The report is a note: it names the call, an element, what the ranks gave, the result and the exact
sum. One note for each line; the verdict stays. On a cluster: infinities or NaN in gradients,
without an error.]],
  repair = [[
Scale down before the sum is made: `avg`, which multiplies floats with 1/n first, or a pre-mul-sum
operator. Or sum in a wider type.]],
  ends = "pass", scenario = [[
scenario { ranks = 2 }
local x = cuda.buffer("float16", 4):fill(40000)
world:all_reduce(x)
stream:sync()
expect.equal(x, math.huge) -- 80000 is meant]],
  also = "integer-average zero-factor" }
