scenario {
  ranks  = 4,
  params = { slots = 4 },
  needs = { nccl = "2.28.3" },
  about  = "experts on different ranks: tokens go to their expert and come back by all-to-all",
}

-- Each rank holds one expert, which adds its number to a token. Token t of rank r is for expert
-- (r + t) % nranks, and every rank has `slots` tokens for each expert.
local slots  = param.slots
local count  = nranks * slots
local token  = function(r, t) return 1000 * r + t end
local place  = {} -- of each token in the buffer by experts
local tokens = cuda.buffer("float32", count)

local used = {}
for t = 0, count - 1 do
  local e = (rank + t) % nranks
  used[e] = (used[e] or 0) + 1
  place[t] = e * slots + used[e]
  tokens[place[t]] = token(rank, t)
end

local here   = cuda.buffer("float32", count)
local number = cuda.buffer("float32", count):fill(rank + 1)
local back   = cuda.buffer("float32", count)

world:all_to_all(tokens, here)      -- dispatch: block e goes to expert e
here:add(number, { stream = stream })
world:all_to_all(here, back)        -- combine: back to where each came from
stream:sync()

for t = 0, count - 1 do
  expect.equal(back[place[t]], token(rank, t) + (rank + t) % nranks + 1)
end
