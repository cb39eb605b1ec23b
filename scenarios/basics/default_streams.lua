scenario { ranks = 2, needs = { gpus = 2 }, about = "which streams wait for each other without an event" }

local x = cuda.buffer("float32", 4)

-- Whether a memset in `later` waits for a kernel in `earlier`.
local function waits(later, earlier)
  x:fill(0)
  local begin, done = cuda.event(), cuda.event()
  begin:record(earlier)
  earlier:delay(0.25)
  x:fill(255, { stream = later })
  done:record(later)
  cuda.sync()
  return begin:elapsed(done) >= 0.25
end

local free, too = cuda.stream(), cuda.stream()
local blocking, another = cuda.stream { blocking = true }, cuda.stream { blocking = true, priority = -5 }
local legacy, own = cuda.legacy_stream, cuda.per_thread_stream

for _, s in ipairs { free, blocking, legacy, own } do
  expect.that(waits(s, s), "a stream is in order")
end
-- The legacy stream waits for blocking ones, and they for it. The per-thread stream is one of them.
for _, s in ipairs { blocking, another, own } do
  expect.that(waits(legacy, s) and waits(s, legacy), "legacy and blocking")
  expect.that(not waits(free, s) and not waits(s, free), "a non-blocking stream waits for nobody")
end
expect.that(not waits(legacy, free) and not waits(free, legacy), "not for the legacy stream either")
expect.that(not waits(blocking, another) and not waits(own, blocking), "nor blocking ones for each other")
expect.that(not waits(free, too))

-- Every thread has a per-thread stream of its own.
own:delay(1)
local idle = spawn(function() return cuda.per_thread_stream:query() end)
expect.that(idle:join(), "the other thread's is empty")
expect.that(not own:query())
cuda.sync()
