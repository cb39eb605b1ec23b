-- Rank 2 alone has the other order of two communicators, as the pairs of the other ranks show. An exchange on its peer repairs the
-- run as well, so it is likely only.
scenario { ranks = 4, outcome = { hang = { why = "comm-order" } } }
local x, y = cuda.buffer("float32", 8):fill(1), cuda.buffer("int32", 4):fill(1)
local pair = world:split { color = rank // 2, name = "pair" }
local order = rank == 2 and { pair, world } or { world, pair }
for _, comm in ipairs(order) do
  comm:all_reduce(comm == world and x or y)
end
stream:sync()
