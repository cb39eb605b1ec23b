scenario {
  ranks = 1,
  world = false,
  sim   = { nccl = "2.27.5" }, needs = { driver = "sim" }, -- a library that lacks newer functions
  about = "functions that are looked up at their first call: what is missing is an error, which is kept",
}

-- A binding without a link to NCCL opens the library and each symbol at the first use. It keeps the
-- result, good or bad: a symbol that was missing once is not looked for again.
local looked = 0
local function lookup(name)
  looked = looked + 1
  if not C.has(name) then error { reason = "no symbol " .. name } end
  return C[name]
end

local kept = {}
local function symbol(name)
  local entry = kept[name]
  if not entry then
    entry = table.pack(pcall(lookup, name))
    kept[name] = entry
  end
  if not entry[1] then error(entry[2]) end
  return entry[2]
end

local first
for try = 1, 3 do
  local ok, problem = pcall(symbol, "ncclCommGrow")
  expect.equal(ok, false)
  expect.equal(problem.reason, "no symbol ncclCommGrow")
  expect.that(try == 1 or rawequal(problem, first), "the same error, not a new one")
  first = problem
end
expect.equal(looked, 1)

-- The others are found once and called often.
for _ = 1, 3 do
  expect.equal(select(2, C.check(symbol("ncclGetVersion")())), nil)
end
expect.equal(looked, 2)

-- Every function of the CUDA runtime that a program can ask for by name is there.
for _, name in ipairs {
  "cudaGetDeviceCount", "cudaSetDevice", "cudaGetDevice", "cudaGetDeviceProperties", "cudaDeviceGetAttribute",
  "cudaDeviceReset", "cudaDeviceSynchronize", "cudaDeviceCanAccessPeer", "cudaDeviceEnablePeerAccess",
  "cudaRuntimeGetVersion", "cudaDriverGetVersion", "cudaGetLastError", "cudaPeekAtLastError",
  "cudaGetErrorString", "cudaGetErrorName", "cudaMalloc", "cudaFree", "cudaMallocHost", "cudaFreeHost",
  "cudaHostAlloc", "cudaMallocManaged", "cudaMallocAsync", "cudaFreeAsync", "cudaPointerGetAttributes",
  "cudaMemcpy", "cudaMemcpyAsync", "cudaMemset", "cudaMemsetAsync", "cudaMemGetInfo", "cudaStreamCreate",
  "cudaStreamCreateWithFlags", "cudaStreamDestroy", "cudaStreamSynchronize", "cudaStreamQuery",
  "cudaStreamWaitEvent", "cudaLaunchHostFunc", "cudaEventCreate", "cudaEventCreateWithFlags",
  "cudaEventRecord", "cudaEventQuery", "cudaEventSynchronize", "cudaEventElapsedTime", "cudaEventDestroy",
} do
  expect.that(type(symbol(name)) == "function", name)
end
local device = select(2, symbol("cudaGetDevice")())
expect.equal(device, 0)
