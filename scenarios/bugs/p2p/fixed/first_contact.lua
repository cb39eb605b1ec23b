scenario {
  about   = "the mended first_contact: the receiver does not wait for a sign",
  params  = { dst = 1, dtype = "float32" },
  matrix  = { ranks = { 2, 4 }, dst = { 1, 3 }, dtype = { "float32", "int8" } },
  exclude = { { ranks = 2, dst = 3 }, { ranks = 4, dtype = "int8" } },
}

local x = cuda.buffer(param.dtype, 16):fill(rank)

if rank == 0 then
  world:send(x, param.dst)
  store:set("sent", true)
elseif rank == param.dst then
  world:recv(x, 0)
  store:get("sent")
end
stream:sync()
if rank == param.dst then
  expect.equal(x, 0)
end
