scenario {
  ranks = 1,
  world = false,
  devices = 2,
  sim = { memory = "1G", capability = 8.6 }, needs = { driver = "sim" },
  about = "one process uses two devices: properties, peer access, copies between them",
}

expect.equal(cuda.device_count(), 2)
local p = cuda.properties(1)
expect.equal(p.total_global_mem, 1 << 30)
expect.equal(p.major, 8)
expect.equal(p.minor, 6)
expect.that(cuda.properties(0).pci_bus_id ~= p.pci_bus_id, "two places on the bus")
expect.error("cudaErrorInvalidDevice", cuda.properties, 2)

expect.that(cuda.can_access_peer(0, 1), "the devices of a host can")
expect.that(not cuda.can_access_peer(1, 1), "a device is no peer of its own")

local here  = cuda.buffer("float32", 16):fill(1)
local there = cuda.buffer("float32", 16, { device = 1 }):fill(2)

-- A kernel reads the other device's memory: only with peer access. A copy needs none.
cuda.enable_peer(1)
local e = expect.error("cudaErrorPeerAccessAlreadyEnabled", cuda.enable_peer, 1)
expect.equal(e.code, 704)
here:add(there)
expect.equal(here, 3)
expect.equal(C.cudaDeviceDisablePeerAccess(1), 0)
expect.equal(C.cudaDeviceDisablePeerAccess(1), C.cudaErrorPeerAccessNotEnabled)
here:copy_from(there)
expect.equal(here, 2)
