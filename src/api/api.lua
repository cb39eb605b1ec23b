-- The functions of NCCL and of the CUDA runtime that ncclscript knows, once. gen.lua writes from it
-- the struct of function pointers, its description, the caller, the journal's wrapper, the editor
-- stubs and the reference page. To add a function: one entry here, then run gen.lua.

local api = { functions = {} } -- kinds of arguments: kinds.lua

-- An entry: C name, then
--   result   C type of the result (default: the library's result code)
--   args     "kind:name" in C's order
--   since    NCCL version that introduced it; only for NCCL
--   header   what the official header must be for the signature: "CUDA 13", "nccl_device.h"
--   lua      what scripts call instead of C.name, nil if it is only in C
--   counted  a communication call: numbered per communicator and rank
--   grouped  may be queued in a group, and poisons the group if it fails
--   direct   cannot fail and changes nothing: not journalled
--   text     one line
local function library(lib, result)
  return function(entry)
    entry.name, entry.lib, entry.result = entry[1], lib, entry.result or result
    api.functions[#api.functions + 1] = entry
  end
end

local nccl = library("nccl", "ncclResult_t")
local cuda = library("cuda", "cudaError_t")
local ext = library("ext", "cudaError_t") -- ours, in place of kernels; every driver has them

nccl { "ncclGetVersion", since = "2.3.4", lua = "nccl.version",
  args = "int_out:version",
  text = "The version of the library: 2.30.7 is 23007." }
nccl { "ncclGetUniqueId", since = "2.0.0", lua = "nccl.unique_id",
  args = "id_out:uniqueId",
  text = "An id that makes one communicator; all its ranks need the same." }
nccl { "ncclCommInitRank", since = "2.0.0", lua = "nccl.init_rank", grouped = true,
  args = "comm_out:comm nranks:nranks id:commId rank:rank",
  text = "Joins a communicator as one of its ranks; waits for the others." }
nccl { "ncclCommInitRankConfig", since = "2.14.3", lua = "nccl.init_rank", grouped = true,
  args = "comm_out:comm nranks:nranks id:commId rank:rank config:config",
  text = "Joins a communicator as one of its ranks, with a configuration." }
nccl { "ncclCommInitRankScalable", since = "2.23.4", lua = "nccl.init_rank", grouped = true,
  args = "comm_out:newcomm nranks:nranks rank:myrank items:nId ids:commIds config:config",
  text = "Joins a communicator that has several ids, which share the work of the meeting." }
nccl { "ncclCommInitAll", since = "2.0.0", lua = "nccl.init_all",
  args = "comms_out:comm nranks:ndev devices:devlist",
  text = "Makes a communicator of which this thread drives every rank." }
nccl { "ncclCommFinalize", since = "2.14.3", lua = "comm:finalize", grouped = true,
  args = "comm:comm",
  text = "Completes this rank's operations; then only destroy and abort are allowed." }
nccl { "ncclCommDestroy", since = "2.0.0", lua = "comm:destroy", grouped = true,
  args = "comm:comm",
  text = "Completes this rank's operations and frees its part of the communicator." }
nccl { "ncclCommAbort", since = "2.4.2", lua = "comm:abort", grouped = true,
  args = "comm:comm",
  text = "Cuts this rank's operations short and frees its part of the communicator." }
nccl { "ncclCommRevoke", since = "2.28.7", lua = "comm:revoke", grouped = true,
  args = "comm:comm int:revokeFlags",
  text = "Cuts this rank's operations short; the communicator stays and takes no new ones." }
nccl { "ncclCommSplit", since = "2.18.1", lua = "comm:split", grouped = true,
  args = "comm:comm color:color int:key comm_out:newcomm config:config",
  text = "Makes one communicator per colour out of all ranks, in order of key." }
nccl { "ncclCommShrink", since = "2.27.3", lua = "comm:shrink", grouped = true,
  args = "comm:comm ranks:excludeRanksList items:excludeRanksCount comm_out:newcomm " ..
    "config:config int:shrinkFlags",
  text = "Makes a communicator without some ranks; only those that stay call it." }
nccl { "ncclCommGetUniqueId", since = "2.29.2", lua = "comm:unique_id",
  args = "comm:comm id_out:uniqueId",
  text = "An id with which new ranks join; one rank asks for it, good for one grow." }
nccl { "ncclCommGrow", since = "2.29.2", lua = "comm:grow", grouped = true,
  args = "comm:comm nranks:nRanks id_in:uniqueId int:rank comm_out:newcomm config:config",
  text = "Makes a communicator with further ranks; old ranks pass it and rank -1, new ones the id." }
nccl { "ncclCommSuspend", since = "2.29.7", lua = "comm:suspend", grouped = true,
  args = "comm:comm int:flags",
  text = "Releases the communicator's device memory until it is resumed." }
nccl { "ncclCommResume", since = "2.29.7", lua = "comm:resume", grouped = true,
  args = "comm:comm",
  text = "Takes back the memory of a suspended communicator." }
nccl { "ncclCommMemStats", since = "2.29.7", lua = "comm:mem_stats",
  args = "comm:comm memstat:stat u64_out:value",
  text = "One figure of the communicator's device memory." }
nccl { "ncclCommQueryProperties", since = "2.29.2", header = "nccl_device.h",
  args = "comm:comm commprops_out:props",
  text = "What the communicator is and can do." }
nccl { "ncclMemAlloc", since = "2.19.1", lua = "cuda.buffer",
  args = "memory_out:ptr bytes:size",
  text = "Allocates device memory that windows and registration can use." }
nccl { "ncclMemFree", since = "2.19.1", lua = "x:free",
  args = "memory:ptr",
  text = "Frees memory of ncclMemAlloc; waits for the device." }
nccl { "ncclCommRegister", since = "2.19.1", lua = "comm:register",
  args = "comm:comm memory:buff bytes:size registration_out:handle",
  text = "Registers a buffer, so that operations may use it without a copy." }
nccl { "ncclCommDeregister", since = "2.19.1", lua = "registration:deregister",
  args = "comm:comm registration:handle",
  text = "Ends a registration." }
nccl { "ncclCommWindowRegister", since = "2.27.3", lua = "comm:window", grouped = true,
  args = "comm:comm memory:buff bytes:size window_out:win int:winFlags",
  text = "Makes a buffer of every rank a window; all ranks call it." }
nccl { "ncclCommWindowDeregister", since = "2.27.3", lua = "window:deregister",
  args = "comm:comm window:win",
  text = "Ends a window." }
nccl { "ncclWinGetUserPtr", since = "2.29.2", lua = "window.ptr",
  args = "comm:comm window:win memory_out:outUserPtr",
  text = "The buffer of this rank behind a window." }
nccl { "ncclResetDebugInit", since = "2.24.3", result = "void",
  args = "",
  text = "Reads the debug environment again; deprecated." }
nccl { "ncclGetErrorString", since = "2.0.0", lua = "nccl.error_string", direct = true,
  result = "const char *",
  args = "result:result",
  text = "A result code in words." }
nccl { "ncclGetLastError", since = "2.13.4", lua = "nccl.last_error", direct = true,
  result = "const char *",
  args = "comm:comm",
  text = "The last warning of any thread of the process; the communicator is ignored." }
nccl { "ncclCommGetAsyncError", since = "2.4.2", lua = "comm:async_error",
  args = "comm:comm result_out:asyncError",
  text = "Whether the communicator is in progress or has failed." }
nccl { "ncclCommCount", since = "2.0.0", lua = "comm.nranks",
  args = "comm:comm int_out:count",
  text = "How many ranks the communicator has." }
nccl { "ncclCommCuDevice", since = "2.0.0", lua = "comm.device",
  args = "comm:comm int_out:device",
  text = "The CUDA device of this rank." }
nccl { "ncclCommUserRank", since = "2.0.0", lua = "comm.rank",
  args = "comm:comm int_out:rank",
  text = "This rank's number in the communicator." }
nccl { "ncclRedOpCreatePreMulSum", since = "2.11.4", lua = "comm:premulsum",
  args = "redop_out:op scalar:scalar dtype:datatype residence:residence comm:comm",
  text = "An operator that multiplies this rank's input by a scalar before the sum." }
nccl { "ncclRedOpDestroy", since = "2.11.4", lua = "op:destroy",
  args = "redop:op comm:comm",
  text = "Frees an operator; calls that were made with it are not affected." }
nccl { "ncclReduce", since = "2.0.0", lua = "comm:reduce", counted = true, grouped = true,
  args = "in:sendbuff out:recvbuff count:count dtype:datatype redop:op root:root comm:comm " ..
    "stream:stream",
  text = "Combines every rank's count elements; the result goes to the root." }
nccl { "ncclBcast", since = "2.0.0", counted = true, grouped = true,
  args = "inout:buff count:count dtype:datatype root:root comm:comm stream:stream",
  text = "Copies count elements of the root to every rank, in place." }
nccl { "ncclBroadcast", since = "2.2.12", lua = "comm:broadcast", counted = true, grouped = true,
  args = "in:sendbuff out:recvbuff count:count dtype:datatype root:root comm:comm stream:stream",
  text = "Copies count elements of the root to every rank." }
nccl { "ncclAllReduce", since = "2.0.0", lua = "comm:all_reduce", counted = true, grouped = true,
  args = "in:sendbuff out:recvbuff count:count dtype:datatype redop:op comm:comm stream:stream",
  text = "Combines every rank's count elements; every rank gets the result." }
nccl { "ncclReduceScatter", since = "2.0.0", lua = "comm:reduce_scatter",
  counted = true, grouped = true,
  args = "in:sendbuff out:recvbuff count:recvcount dtype:datatype redop:op comm:comm stream:stream",
  text = "Combines every rank's elements; rank r gets block r of recvcount elements." }
nccl { "ncclAllGather", since = "2.0.0", lua = "comm:all_gather", counted = true, grouped = true,
  args = "in:sendbuff out:recvbuff count:sendcount dtype:datatype comm:comm stream:stream",
  text = "Every rank gets every rank's sendcount elements, in order of rank." }
nccl { "ncclAlltoAll", since = "2.28.3", lua = "comm:all_to_all", counted = true, grouped = true,
  args = "in:sendbuff out:recvbuff count:count dtype:datatype comm:comm stream:stream",
  text = "Every rank sends block r of count elements to rank r." }
nccl { "ncclGather", since = "2.28.3", lua = "comm:gather", counted = true, grouped = true,
  args = "in:sendbuff out:recvbuff count:count dtype:datatype root:root comm:comm stream:stream",
  text = "The root gets every rank's count elements, in order of rank." }
nccl { "ncclScatter", since = "2.28.3", lua = "comm:scatter", counted = true, grouped = true,
  args = "in:sendbuff out:recvbuff count:count dtype:datatype root:root comm:comm stream:stream",
  text = "Rank r gets block r of count elements of the root." }
nccl { "ncclSend", since = "2.7.3", lua = "comm:send", counted = true, grouped = true,
  args = "in:sendbuff count:count dtype:datatype peer:peer comm:comm stream:stream",
  text = "Sends count elements to one rank, which must receive them." }
nccl { "ncclRecv", since = "2.7.3", lua = "comm:recv", counted = true, grouped = true,
  args = "out:recvbuff count:count dtype:datatype peer:peer comm:comm stream:stream",
  text = "Receives count elements that one rank sends." }
nccl { "ncclPutSignal", since = "2.29.2", lua = "comm:put_signal", counted = true, grouped = true,
  args = "in:localbuff count:count dtype:datatype peer:peer window:peerWin offset:peerWinOffset " ..
    "int:sigIdx int:ctx flags:flags comm:comm stream:stream",
  text = "Writes count elements into a peer's window, then signals the peer." }
nccl { "ncclSignal", since = "2.29.2", lua = "comm:signal", counted = true, grouped = true,
  args = "peer:peer int:sigIdx int:ctx flags:flags comm:comm stream:stream",
  text = "Signals a peer." }
nccl { "ncclWaitSignal", since = "2.29.2", lua = "comm:wait_signal", counted = true, grouped = true,
  args = "items:nDesc waits:signalDescs comm:comm stream:stream",
  text = "The stream waits for so many signals of each peer that is listed." }
nccl { "ncclGroupStart", since = "2.0.0", lua = "nccl.group",
  args = "",
  text = "Calls of this thread are queued from here to the matching end." }
nccl { "ncclGroupEnd", since = "2.0.0", lua = "nccl.group",
  args = "",
  text = "The outermost end starts everything that was queued, at once." }

nccl { "ncclGroupSimulateEnd", since = "2.22.3", lua = "nccl.simulate",
  args = "siminfo:simInfo",
  text = "Ends a group without starting it, and estimates how long it would take." }
nccl { "ncclParamBind", since = "2.30.4",
  args = "param_out:out text:key",
  text = "A parameter of the library by its name." }
for _, int in ipairs { "I8", "I16", "I32", "I64", "U8", "U16", "U32", "U64" } do
  nccl { "ncclParamGet" .. int, since = "2.30.4",
    args = ("param:h %s_out:out"):format(int:lower()),
    text = ("The value of a parameter that is an %sinteger of %s bits."):format(
      int:sub(1, 1) == "U" and "unsigned " or "", int:sub(2)) }
end
nccl { "ncclParamGetStr", since = "2.30.4",
  args = "param:h text_out:out",
  text = "The value of a parameter that is a text." }
nccl { "ncclParamGet", since = "2.30.4",
  args = "param:h out:out room:maxLen int_out:len",
  text = "The bytes of a parameter's value, of whatever type." }
nccl { "ncclParamGetParameter", since = "2.30.4", lua = "nccl.param",
  args = "text:key text_out:value int_out:valueLen",
  text = "The value of a parameter in words." }
nccl { "ncclParamGetAllParameterKeys", since = "2.30.4", lua = "nccl.params",
  args = "texts_out:table int_out:tableLen",
  text = "The names of all parameters." }
nccl { "ncclParamDumpAll", since = "2.30.4", result = "void",
  args = "",
  text = "Prints all parameters to the standard output." }

cuda { "cudaGetDeviceCount", lua = "cuda.device_count",
  args = "int_out:count",
  text = "How many devices the process sees." }
cuda { "cudaSetDevice", lua = "cuda.set_device",
  args = "device:device",
  text = "Makes a device the thread's current one." }
cuda { "cudaGetDevice", lua = "cuda.device",
  args = "int_out:device",
  text = "The thread's current device." }
cuda { "cudaGetDeviceProperties", lua = "cuda.properties", header = "CUDA 13",
  args = "properties_out:prop device:device",
  text = "What a device is and can do." }
cuda { "cudaChooseDevice", header = "CUDA 13",
  args = "int_out:device properties:prop",
  text = "The device that matches some properties best." }
cuda { "cudaDeviceGetAttribute",
  args = "int_out:value deviceattr:attr device:device",
  text = "One property of a device." }
cuda { "cudaDeviceGetPCIBusId",
  args = "chars_out:pciBusId room:len device:device",
  text = "Where a device is on the PCI bus, as text: 0000:0a:00.0." }
cuda { "cudaDeviceGetByPCIBusId",
  args = "int_out:device text:pciBusId",
  text = "The device at a place on the PCI bus." }
cuda { "cudaDeviceReset",
  args = "",
  text = "Frees everything that the process has on the current device." }
cuda { "cudaSetDeviceFlags",
  args = "flags:flags",
  text = "How the host waits for the current device." }
cuda { "cudaGetDeviceFlags",
  args = "flags_out:flags",
  text = "The flags of the current device." }
cuda { "cudaDeviceSetLimit",
  args = "limit:limit bytes:value",
  text = "Sets a limit of the current device." }
cuda { "cudaDeviceGetLimit",
  args = "bytes_out:pValue limit:limit",
  text = "A limit of the current device." }
cuda { "cudaDeviceGetStreamPriorityRange",
  args = "int_out:leastPriority int_out:greatestPriority",
  text = "The priorities that streams may have: the greatest is the least number." }
cuda { "cudaDeviceCanAccessPeer", lua = "cuda.can_access_peer",
  args = "int_out:canAccessPeer device:device device:peerDevice",
  text = "Whether a device can use another one's memory." }
cuda { "cudaDeviceEnablePeerAccess", lua = "cuda.enable_peer",
  args = "device:peerDevice flags:flags",
  text = "Lets the current device use another one's memory." }
cuda { "cudaDeviceDisablePeerAccess",
  args = "device:peerDevice",
  text = "Ends the use of another device's memory." }
cuda { "cudaDeviceSynchronize", lua = "cuda.sync",
  args = "",
  text = "Waits for everything on the current device." }
cuda { "cudaRuntimeGetVersion", lua = "cuda.runtime_version",
  args = "int_out:runtimeVersion",
  text = "The version of the runtime: 13.0 is 13000." }
cuda { "cudaDriverGetVersion", lua = "cuda.driver_version",
  args = "int_out:driverVersion",
  text = "The newest version of CUDA that the driver supports." }
cuda { "cudaGetLastError", lua = "cuda.last_error",
  args = "",
  text = "The thread's last error, which it clears." }
cuda { "cudaPeekAtLastError",
  args = "",
  text = "The thread's last error, which stays." }
cuda { "cudaGetErrorString", direct = true,
  result = "const char *",
  args = "error:error",
  text = "An error code in words." }
cuda { "cudaGetErrorName", direct = true,
  result = "const char *",
  args = "error:error",
  text = "An error code's name in C." }
cuda { "cudaGetDriverEntryPoint",
  args = "text:symbol memory_out:funcPtr longflags:flags entry_out:driverStatus",
  text = "A function of the driver by its name; deprecated." }
cuda { "cudaGetDriverEntryPointByVersion",
  args = "text:symbol memory_out:funcPtr flags:cudaVersion longflags:flags entry_out:driverStatus",
  text = "A function of the driver by its name and version." }
cuda { "cudaProfilerStart",
  args = "",
  text = "Starts the collection of a profile." }
cuda { "cudaProfilerStop",
  args = "",
  text = "Stops the collection of a profile." }
cuda { "cudaMalloc", lua = "cuda.buffer",
  args = "memory_out:devPtr bytes:size",
  text = "Allocates memory of the current device." }
cuda { "cudaFree", lua = "x:free",
  args = "memory:devPtr",
  text = "Frees device memory; waits for the device." }
cuda { "cudaMallocHost", lua = "cuda.buffer",
  args = "memory_out:ptr bytes:size",
  text = "Allocates pinned memory of the host." }
cuda { "cudaFreeHost", lua = "x:free",
  args = "memory:ptr",
  text = "Frees pinned memory." }
cuda { "cudaHostAlloc",
  args = "memory_out:pHost bytes:size flags:flags",
  text = "Allocates pinned memory of the host, with flags." }
cuda { "cudaHostRegister",
  args = "memory:ptr bytes:size flags:flags",
  text = "Pins memory of the host that exists." }
cuda { "cudaHostUnregister",
  args = "memory:ptr",
  text = "Ends the pinning of memory of the host." }
cuda { "cudaHostGetDevicePointer",
  args = "memory_out:pDevice memory:pHost flags:flags",
  text = "The address at which devices see pinned memory." }
cuda { "cudaHostGetFlags",
  args = "flags_out:pFlags memory:pHost",
  text = "The flags of pinned memory." }
cuda { "cudaMallocManaged", lua = "cuda.buffer",
  args = "memory_out:devPtr bytes:size flags:flags",
  text = "Allocates memory that host and devices share." }
cuda { "cudaMallocPitch",
  args = "memory_out:devPtr bytes_out:pitch width:width height:height",
  text = "Allocates rows of device memory, each aligned." }
cuda { "cudaMallocAsync", lua = "cuda.buffer",
  args = "memory_out:devPtr bytes:size stream:hStream",
  text = "Allocates device memory in the order of a stream." }
cuda { "cudaMallocFromPoolAsync",
  args = "memory_out:ptr bytes:size pool:memPool stream:stream",
  text = "Allocates memory of a pool in the order of a stream." }
cuda { "cudaFreeAsync", lua = "x:free",
  args = "memory:devPtr stream:hStream",
  text = "Frees memory in the order of a stream." }
cuda { "cudaDeviceGetDefaultMemPool",
  args = "pool_out:memPool device:device",
  text = "The pool that a device has from the start." }
cuda { "cudaDeviceGetMemPool",
  args = "pool_out:memPool device:device",
  text = "The pool that cudaMallocAsync takes memory from." }
cuda { "cudaDeviceSetMemPool",
  args = "device:device pool:memPool",
  text = "Sets the pool that cudaMallocAsync takes memory from." }
cuda { "cudaMemPoolCreate",
  args = "pool_out:memPool poolprops:poolProps",
  text = "A pool of memory." }
cuda { "cudaMemPoolDestroy",
  args = "pool:memPool",
  text = "Frees a pool once all its memory is free." }
cuda { "cudaMemPoolSetAttribute",
  args = "pool:memPool poolattr:attr attribute:value",
  text = "Sets an attribute of a pool." }
cuda { "cudaMemPoolGetAttribute",
  args = "pool:memPool poolattr:attr attribute:value",
  text = "Writes an attribute of a pool to the value." }
cuda { "cudaMemPoolTrimTo",
  args = "pool:memPool offset:minBytesToKeep",
  text = "Gives back what a pool holds beyond so many bytes." }
cuda { "cudaPointerGetAttributes",
  args = "pointer_out:attributes in:ptr",
  text = "What memory an address is in." }
cuda { "cudaMemcpy", lua = "x:copy_from",
  args = "out:dst in:src bytes:count memcpy:kind",
  text = "Copies bytes in the legacy stream and waits." }
cuda { "cudaMemcpyAsync", lua = "x:copy_from",
  args = "out:dst in:src bytes:count memcpy:kind stream:stream",
  text = "Copies bytes in the order of a stream." }
cuda { "cudaMemcpyPeer",
  args = "out:dst device:dstDevice in:src device:srcDevice bytes:count",
  text = "Copies bytes from one device to another." }
cuda { "cudaMemcpyPeerAsync",
  args = "out:dst device:dstDevice in:src device:srcDevice bytes:count stream:stream",
  text = "Copies bytes from one device to another in the order of a stream." }
cuda { "cudaMemcpy2D",
  args = "out:dst pitch:dpitch in:src pitch:spitch width:width height:height memcpy:kind",
  text = "Copies rows of bytes in the legacy stream and waits." }
cuda { "cudaMemcpy2DAsync",
  args = "out:dst pitch:dpitch in:src pitch:spitch width:width height:height memcpy:kind " ..
    "stream:stream",
  text = "Copies rows of bytes in the order of a stream." }
cuda { "cudaMemset", lua = "x:fill",
  args = "out:devPtr int:value bytes:count",
  text = "Sets every byte, in the legacy stream." }
cuda { "cudaMemsetAsync", lua = "x:fill",
  args = "out:devPtr int:value bytes:count stream:stream",
  text = "Sets every byte, in the order of a stream." }
cuda { "cudaMemset2D",
  args = "out:devPtr pitch:pitch int:value width:width height:height",
  text = "Sets every byte of rows, in the legacy stream." }
cuda { "cudaMemset2DAsync",
  args = "out:devPtr pitch:pitch int:value width:width height:height stream:stream",
  text = "Sets every byte of rows, in the order of a stream." }
cuda { "cudaMemPrefetchAsync", header = "CUDA 13",
  args = "in:devPtr offset:count location:location flags:flags stream:stream",
  text = "Moves managed memory ahead of its use." }
cuda { "cudaMemAdvise", header = "CUDA 13",
  args = "in:devPtr offset:count advice:advice location:location",
  text = "Says how managed memory will be used." }
cuda { "cudaMemGetInfo", lua = "cuda.memory",
  args = "bytes_out:free bytes_out:total",
  text = "Free and total bytes of the current device." }
cuda { "cudaStreamCreate", lua = "cuda.stream",
  args = "stream_out:pStream",
  text = "A stream on the current device that synchronises with the legacy stream." }
cuda { "cudaStreamCreateWithFlags", lua = "cuda.stream",
  args = "stream_out:pStream flags:flags",
  text = "A stream on the current device." }
cuda { "cudaStreamCreateWithPriority", lua = "cuda.stream",
  args = "stream_out:pStream flags:flags int:priority",
  text = "A stream on the current device with a priority." }
cuda { "cudaStreamDestroy", lua = "stream:destroy",
  args = "stream:stream",
  text = "Frees a stream; its work goes on." }
cuda { "cudaStreamSynchronize", lua = "stream:sync",
  args = "stream:stream",
  text = "Waits for everything in a stream." }
cuda { "cudaStreamQuery", lua = "stream:query",
  args = "stream:stream",
  text = "Whether everything in a stream is done: cudaErrorNotReady if not." }
cuda { "cudaStreamWaitEvent", lua = "stream:wait",
  args = "stream:stream event:event flags:flags",
  text = "Later work in the stream waits for what the event's latest record waits for." }
cuda { "cudaStreamAddCallback",
  args = "stream:stream streamfn:callback userdata:userData flags:flags",
  text = "Runs a function of the host in the order of a stream, with the stream's error." }
cuda { "cudaLaunchHostFunc", lua = "stream:callback",
  args = "stream:stream hostfn:fn userdata:userData",
  text = "Runs a function of the host in the order of a stream." }
cuda { "cudaStreamGetFlags",
  args = "stream:hStream flags_out:flags",
  text = "The flags of a stream." }
cuda { "cudaStreamGetPriority",
  args = "stream:hStream int_out:priority",
  text = "The priority of a stream." }
cuda { "cudaStreamGetId",
  args = "stream:hStream serial_out:streamId",
  text = "The number of a stream, unique in the process." }
cuda { "cudaStreamGetDevice",
  args = "stream:hStream int_out:device",
  text = "The device of a stream." }
cuda { "cudaStreamIsCapturing",
  args = "stream:stream capture_out:pCaptureStatus",
  text = "Whether a stream is being captured into a graph." }
cuda { "cudaStreamBeginCapture",
  args = "stream:stream capturemode:mode",
  text = "Captures what follows in a stream into a graph." }
cuda { "cudaStreamEndCapture",
  args = "stream:stream graph_out:pGraph",
  text = "Ends a capture; gives the graph." }
cuda { "cudaEventCreate", lua = "cuda.event",
  args = "event_out:event",
  text = "An event on the current device." }
cuda { "cudaEventCreateWithFlags", lua = "cuda.event",
  args = "event_out:event flags:flags",
  text = "An event on the current device." }
cuda { "cudaEventRecord", lua = "event:record",
  args = "event:event stream:stream",
  text = "The event now stands for what is in the stream so far." }
cuda { "cudaEventRecordWithFlags",
  args = "event:event stream:stream flags:flags",
  text = "The event now stands for what is in the stream so far; flags are for capture." }
cuda { "cudaEventQuery", lua = "event:query",
  args = "event:event",
  text = "Whether what the event stands for is done: cudaErrorNotReady if not." }
cuda { "cudaEventSynchronize", lua = "event:sync",
  args = "event:event",
  text = "Waits for what the event stands for." }
cuda { "cudaEventElapsedTime", lua = "event:elapsed",
  args = "float_out:ms event:start event:end",
  text = "Milliseconds between two events." }
cuda { "cudaEventDestroy", lua = "event:destroy",
  args = "event:event",
  text = "Frees an event." }
cuda { "cudaIpcGetMemHandle",
  args = "ipcmem_out:handle memory:devPtr",
  text = "What another process needs to use an allocation." }
cuda { "cudaIpcOpenMemHandle",
  args = "memory_out:devPtr ipcmem:handle flags:flags",
  text = "Maps an allocation of another process." }
cuda { "cudaIpcCloseMemHandle",
  args = "memory:devPtr",
  text = "Ends the mapping of another process's allocation." }
cuda { "cudaIpcGetEventHandle",
  args = "ipcevent_out:handle event:event",
  text = "What another process needs to use an event." }
cuda { "cudaIpcOpenEventHandle",
  args = "event_out:event ipcevent:handle",
  text = "An event of another process." }

ext { "ncsDelay", lua = "stream:delay",
  args = "stream:stream seconds:seconds",
  text = "Stands for a kernel that takes so long." }
ext { "ncsAdd", lua = "x:add",
  args = "inout:dst in:src count:count dtype:datatype stream:stream",
  text = "Stands for a kernel: dst[i] = dst[i] + src[i], in the type." }

return api
