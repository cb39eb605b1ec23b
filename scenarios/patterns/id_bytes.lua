scenario {
  ranks = 4,
  world = false,
  about = "the unique id as 128 bytes: through a store, through a list of numbers, through a broadcast",
}

-- A binding gives the id to its users as an array of bytes, because it cannot know how they exchange it.
local function new_id()
  return nccl.unique_id():bytes()
end

local function join(bytes)
  return nccl.init_rank(nranks, nccl.unique_id(bytes), rank)
end

local function try(comm)
  local x = cuda.buffer("int32", 16):fill(rank)
  comm:all_reduce(x, { stream = stream })
  stream:sync()
  expect.equal(x, nranks * (nranks - 1) // 2)
end

-- Through a key-value store, as text.
if rank == 0 then
  store:set("first", new_id())
end
local bytes = store:get("first")
expect.equal(#bytes, C.NCCL_UNIQUE_ID_BYTES)
local first = join(bytes)
try(first)

-- As a list of numbers, as in JSON.
if rank == 0 then
  store:set("second", { new_id():byte(1, -1) })
end
local second = join(string.char(table.unpack(store:get("second"))))
try(second)

-- Over a communicator that exists: the bytes are data like any other.
local data = cuda.buffer("uint8", C.NCCL_UNIQUE_ID_BYTES)
local mine = nranks - 1
if rank == mine then
  local made = new_id()
  data:fill(function(i) return made:byte(i) end)
end
-- No id is like another, so `compare` must not compare these bytes between two runs: verify = false.
first:broadcast(data, { root = mine, stream = stream, verify = false })
stream:sync()
local third = join(string.char(table.unpack(data:get())))
try(third)

-- Bytes and id are the same thing, and each id is another one.
local id = nccl.unique_id()
expect.that(nccl.unique_id(id:bytes()) == id)
expect.that(nccl.unique_id() ~= id)
expect.that(id:bytes() ~= bytes)

-- The length is fixed. A binding that reads too little must not get an id.
for _, wrong in ipairs { "", bytes:sub(2), bytes .. "\0" } do
  expect.error("usage", nccl.unique_id, wrong)
end

for _, comm in ipairs { third, second, first } do
  comm:destroy()
end
