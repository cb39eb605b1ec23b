scenario {
  ranks  = 4,
  params = { cells = 16, steps = 8 },
  needs = { nccl = "2.29.2" },
  about  = "a halo exchange by puts: every rank writes its edge cells into its neighbours' halos",
}

-- Cells 2 .. cells + 1 are this rank's; 1 and cells + 2 are copies of the neighbours' edges.
local cells = param.cells
local left  = (rank - 1) % nranks
local right = (rank + 1) % nranks
local x     = cuda.buffer("float64", cells + 2, { memory = "nccl" })
local win   = world:window(x, { symmetric = true })
local value = function(cell) return cell % (nranks * cells) end -- of the whole ring, from 0

for step = 1, param.steps do
  x:slice(2, cells):fill(function(i) return step + value(rank * cells + i - 1) end)
  nccl.group(function()
    world:put_signal(x:slice(2, 1), left, win, { first = cells + 2 })
    world:put_signal(x:slice(cells + 1, 1), right, win, { first = 1 })
  end)
  -- One signal of each neighbour; with two ranks both are of the same one.
  world:wait_signal({ { peer = left }, { peer = right } })
  stream:sync()
  expect.equal(x[1], step + value(rank * cells - 1))
  expect.equal(x[cells + 2], step + value((rank + 1) * cells))

  -- Nobody may put the next step's edges before both neighbours have read this one's.
  world:signal(left)
  world:signal(right)
  world:wait_signal({ { peer = left }, { peer = right } })
end
stream:sync()
