scenario {
  ranks  = 4,
  params = { count = 257 },
  needs  = { nccl = "2.10" },
  about  = "16-bit floats: reductions, gathering, and what rounding leaves of small addends",
}

-- Languages without such a type pass 16-bit words and the number of the type; the arithmetic is
-- NCCL's alone.
local function try(dtype)
  local x = cuda.buffer(dtype, param.count):fill(rank + 1)
  expect.equal(x.bytes, 2 * param.count)

  world:all_reduce(x)
  stream:sync()
  expect.equal(x, nranks * (nranks + 1) / 2)

  x:fill(rank + 1)
  world:all_reduce(x, { op = "max" })
  stream:sync()
  expect.equal(x, nranks, { tol = 0 })

  local all = cuda.buffer(dtype, param.count * nranks)
  world:all_gather(x:fill(rank / 4), all)
  stream:sync()
  expect.equal(all, function(i) return (i - 1) // param.count / 4 end, { tol = 0 })

  -- 11 and 8 bits of precision: 1 is lost beside 4096, here in the type's own rounding.
  x:fill(4096)
  local one = cuda.buffer(dtype, param.count):fill(1)
  x:add(one)
  expect.equal(x, 4096, { tol = 0 })
end

try "float16"
try "bfloat16"
