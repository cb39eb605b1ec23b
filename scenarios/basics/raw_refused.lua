scenario {
  ranks = 1, world = false, needs = { driver = "sim" },
  about = "what the simulated CUDA runtime does not have: handles for other processes",
}

local event = C.check(C.cudaEventCreateWithFlags(C.cudaEventDisableTiming))
expect.equal(C.cudaIpcGetEventHandle(event), C.cudaErrorNotSupported)
expect.equal(C.cudaIpcOpenEventHandle(("x"):rep(C.CUDA_IPC_HANDLE_SIZE)), C.cudaErrorNotSupported)
expect.equal(C.cudaIpcCloseMemHandle(nil), C.cudaErrorNotSupported)
C.check(C.cudaEventDestroy(event))
