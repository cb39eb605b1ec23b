scenario {
  ranks = 2,
  about = "sends by the byte: a type that NCCL does not know is refused, int8 does it",
}

-- A typed binding takes the element's type from the array and knows none for raw bytes, half a
-- record, or an enum of its own. NCCL's answer to a number that is no type:
local right, left = (rank + 1) % nranks, (rank - 1) % nranks
local out, into = cuda.buffer("uint8", 100):fill(rank), cuda.buffer("uint8", 100)

for _, dtype in ipairs { -1, 12, 255 } do
  expect.equal(C.ncclSend(out, 100, dtype, right, world, stream), C.ncclInvalidArgument)
  expect.equal(C.ncclRecv(into, 100, dtype, left, world, stream), C.ncclInvalidArgument)
end

-- Anything can be sent as bytes, if both say so.
local numbers, got = cuda.buffer("float64", 8):fill(rank + 0.5), cuda.buffer("float64", 8)
local function exchange()
  C.check(C.ncclGroupStart())
  C.check(C.ncclSend(numbers, numbers.bytes, C.ncclInt8, right, world, stream))
  C.check(C.ncclRecv(got, got.bytes, C.ncclInt8, left, world, stream))
  C.check(C.ncclGroupEnd())
  stream:sync()
  expect.equal(got, left + 0.5)
end
exchange()

-- In a group one refused call spoils all: its end tells the code, and nothing is sent. The two have
-- exchanged before: a first message in a dropped group would leave them unconnected.
into:fill(99)
C.check(C.ncclGroupStart())
expect.equal(C.ncclSend(out, 100, 12, right, world, stream), C.ncclInvalidArgument)
expect.equal(C.ncclRecv(into, 100, C.ncclInt8, left, world, stream), C.ncclSuccess)
expect.equal(C.ncclGroupEnd(), C.ncclInvalidArgument)
stream:sync()
expect.equal(into, 99)

-- A blocking communicator does not keep the error.
got:fill(0)
exchange()
