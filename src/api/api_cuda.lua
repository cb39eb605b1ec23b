-- The functions of the CUDA runtime, and ncclscript's own functions that stand in for kernels.
-- api.lua explains entries.
local library = ...

local cuda = library("cuda", "cudaError_t")
local ext = library("ext", "cudaError_t") -- every driver provides them

cuda { "cudaGetDeviceCount", lua = "cuda.device_count", family = "devices",
  args = "int_out:count",
  text = "How many devices the process sees." }
cuda { "cudaSetDevice", lua = "cuda.set_device", family = "devices",
  args = "device:device",
  text = "Makes a device the thread's current one." }
cuda { "cudaGetDevice", lua = "cuda.device", family = "devices",
  args = "int_out:device",
  text = "The thread's current device." }
cuda { "cudaGetDeviceProperties", lua = "cuda.properties", header = "CUDA 13", family = "devices",
  args = "properties_out:prop device:device",
  text = "What a device is and can do." }
cuda { "cudaChooseDevice", header = "CUDA 13", family = "devices",
  args = "int_out:device properties:prop",
  text = "The device that matches some properties best." }
cuda { "cudaDeviceGetAttribute", family = "devices",
  args = "int_out:value deviceattr:attr device:device",
  text = "One property of a device." }
cuda { "cudaDeviceGetPCIBusId", family = "devices",
  args = "chars_out:pciBusId room:len device:device",
  text = "Where a device is on the PCI bus, as text: 0000:0a:00.0." }
cuda { "cudaDeviceGetByPCIBusId", family = "devices",
  args = "int_out:device text:pciBusId",
  text = "The device at a place on the PCI bus." }
cuda { "cudaDeviceReset", family = "devices",
  args = "",
  text = "Frees everything that the process has on the current device." }
cuda { "cudaSetDeviceFlags", family = "devices",
  args = "flags:flags",
  text = "How the host waits for the current device." }
cuda { "cudaGetDeviceFlags", family = "devices",
  args = "flags_out:flags",
  text = "The flags of the current device." }
cuda { "cudaDeviceSetLimit", family = "devices",
  args = "limit:limit bytes:value",
  text = "Sets a limit of the current device." }
cuda { "cudaDeviceGetLimit", family = "devices",
  args = "bytes_out:pValue limit:limit",
  text = "A limit of the current device." }
cuda { "cudaDeviceGetStreamPriorityRange", family = "devices",
  args = "int_out:leastPriority int_out:greatestPriority",
  text = "The priorities that streams may have: the greatest is the least number." }
cuda { "cudaDeviceCanAccessPeer", lua = "cuda.can_access_peer", family = "peer access",
  args = "int_out:canAccessPeer device:device device:peerDevice",
  text = "Whether a device can use another one's memory." }
cuda { "cudaDeviceEnablePeerAccess", lua = "cuda.enable_peer", family = "peer access",
  args = "device:peerDevice flags:flags",
  text = "Lets the current device use another one's memory." }
cuda { "cudaDeviceDisablePeerAccess", family = "peer access",
  args = "device:peerDevice",
  text = "Ends the use of another device's memory." }
cuda { "cudaDeviceSynchronize", lua = "cuda.sync", waits = true, family = "devices",
  args = "",
  text = "Waits for everything on the current device." }
cuda { "cudaRuntimeGetVersion", lua = "cuda.runtime_version", family = "devices",
  args = "int_out:runtimeVersion",
  text = "The version of the runtime: 13.0 is 13000." }
cuda { "cudaDriverGetVersion", lua = "cuda.driver_version", family = "devices",
  args = "int_out:driverVersion",
  text = "The newest version of CUDA that the driver supports." }
cuda { "cudaGetLastError", lua = "cuda.last_error", looks = true, family = "errors of CUDA",
  args = "",
  text = "The thread's last error, which it clears." }
cuda { "cudaPeekAtLastError", looks = true, family = "errors of CUDA",
  args = "",
  text = "The thread's last error, which stays." }
cuda { "cudaGetErrorString", direct = true, family = "errors of CUDA",
  result = "const char *",
  args = "error:error",
  text = "An error code in words." }
cuda { "cudaGetErrorName", direct = true, family = "errors of CUDA",
  result = "const char *",
  args = "error:error",
  text = "An error code's name in C." }
cuda { "cudaGetDriverEntryPoint", family = "devices",
  args = "text:symbol memory_out:funcPtr longflags:flags entry_out:driverStatus",
  text = "A function of the driver by its name; deprecated." }
cuda { "cudaGetDriverEntryPointByVersion", family = "devices",
  args = "text:symbol memory_out:funcPtr flags:cudaVersion longflags:flags entry_out:driverStatus",
  text = "A function of the driver by its name and version." }
cuda { "cudaProfilerStart", family = "devices",
  args = "",
  text = "Starts the collection of a profile." }
cuda { "cudaProfilerStop", family = "devices",
  args = "",
  text = "Stops the collection of a profile." }
cuda { "cudaMalloc", lua = "cuda.buffer", family = "memory of devices",
  makes = "memory",
  args = "memory_out:devPtr bytes:size",
  text = "Allocates memory of the current device." }
cuda { "cudaFree", lua = "x:free", ends = "memory", family = "memory of devices",
  frees = "memory",
  args = "memory:devPtr",
  text = "Frees device memory; waits for the device." }
cuda { "cudaMallocHost", lua = "cuda.buffer", family = "memory of the host",
  makes = "pinned",
  args = "memory_out:ptr bytes:size",
  text = "Allocates pinned memory of the host." }
cuda { "cudaFreeHost", lua = "x:free", ends = "memory", family = "memory of the host",
  frees = "pinned",
  args = "memory:ptr",
  text = "Frees pinned memory." }
cuda { "cudaHostAlloc", family = "memory of the host",
  makes = "pinned",
  args = "memory_out:pHost bytes:size flags:flags",
  text = "Allocates pinned memory of the host, with flags." }
cuda { "cudaHostRegister", family = "memory of the host",
  makes = "registered",
  args = "memory:ptr bytes:size flags:flags",
  text = "Pins memory of the host that exists." }
cuda { "cudaHostUnregister", family = "memory of the host",
  frees = "registered",
  args = "memory:ptr",
  text = "Ends the pinning of memory of the host." }
cuda { "cudaHostGetDevicePointer", family = "memory of the host",
  args = "memory_out:pDevice memory:pHost flags:flags",
  text = "The address at which devices see pinned memory." }
cuda { "cudaHostGetFlags", family = "memory of the host",
  args = "flags_out:pFlags memory:pHost",
  text = "The flags of pinned memory." }
cuda { "cudaMallocManaged", lua = "cuda.buffer", family = "memory of devices",
  makes = "memory",
  args = "memory_out:devPtr bytes:size flags:flags",
  text = "Allocates memory that host and devices share." }
cuda { "cudaMallocPitch", family = "memory of devices",
  makes = "memory",
  args = "memory_out:devPtr bytes_out:pitch width:width height:height",
  text = "Allocates rows of device memory, each aligned." }
cuda { "cudaMallocAsync", lua = "cuda.buffer", family = "memory in the order of streams",
  makes = "memory",
  args = "memory_out:devPtr bytes:size stream:hStream",
  text = "Allocates device memory in the order of a stream." }
cuda { "cudaMallocFromPoolAsync", family = "memory in the order of streams",
  makes = "memory",
  args = "memory_out:ptr bytes:size pool:memPool stream:stream",
  text = "Allocates memory of a pool in the order of a stream." }
cuda { "cudaFreeAsync", lua = "x:free", ends = "memory", family = "memory in the order of streams",
  frees = "memory",
  args = "memory:devPtr stream:hStream",
  text = "Frees memory in the order of a stream." }
cuda { "cudaDeviceGetDefaultMemPool", family = "memory in the order of streams",
  args = "pool_out:memPool device:device",
  text = "The pool that a device has from the start." }
cuda { "cudaDeviceGetMemPool", family = "memory in the order of streams",
  args = "pool_out:memPool device:device",
  text = "The pool that cudaMallocAsync takes memory from." }
cuda { "cudaDeviceSetMemPool", family = "memory in the order of streams",
  args = "device:device pool:memPool",
  text = "Sets the pool that cudaMallocAsync takes memory from." }
cuda { "cudaMemPoolCreate", family = "memory in the order of streams",
  makes = "pool",
  args = "pool_out:memPool poolprops:poolProps",
  text = "A pool of memory." }
cuda { "cudaMemPoolDestroy", family = "memory in the order of streams",
  frees = "pool",
  args = "pool:memPool",
  text = "Frees a pool once all its memory is free." }
cuda { "cudaMemPoolSetAttribute", family = "memory in the order of streams",
  args = "pool:memPool poolattr:attr attribute:value",
  text = "Sets an attribute of a pool." }
cuda { "cudaMemPoolGetAttribute", family = "memory in the order of streams",
  args = "pool:memPool poolattr:attr attribute:value",
  text = "Writes an attribute of a pool to the value." }
cuda { "cudaMemPoolTrimTo", family = "memory in the order of streams",
  args = "pool:memPool offset:minBytesToKeep",
  text = "Gives back what a pool holds beyond so many bytes." }
cuda { "cudaPointerGetAttributes", family = "memory of devices",
  args = "pointer_out:attributes in:ptr",
  text = "What memory an address is in." }
cuda { "cudaMemcpy", lua = "x:copy_from", family = "copies and fills",
  args = "out:dst in:src bytes:count memcpy:kind",
  text = "Copies bytes in the legacy stream and waits." }
cuda { "cudaMemcpyAsync", lua = "x:copy_from", family = "copies and fills",
  args = "out:dst in:src bytes:count memcpy:kind stream:stream",
  text = "Copies bytes in the order of a stream." }
cuda { "cudaMemcpyPeer", family = "copies and fills",
  args = "out:dst device:dstDevice in:src device:srcDevice bytes:count",
  text = "Copies bytes from one device to another." }
cuda { "cudaMemcpyPeerAsync", family = "copies and fills",
  args = "out:dst device:dstDevice in:src device:srcDevice bytes:count stream:stream",
  text = "Copies bytes from one device to another in the order of a stream." }
cuda { "cudaMemcpy2D", family = "copies and fills",
  args = "out:dst pitch:dpitch in:src pitch:spitch width:width height:height memcpy:kind",
  text = "Copies rows of bytes in the legacy stream and waits." }
cuda { "cudaMemcpy2DAsync", family = "copies and fills",
  args = "out:dst pitch:dpitch in:src pitch:spitch width:width height:height memcpy:kind " ..
    "stream:stream",
  text = "Copies rows of bytes in the order of a stream." }
cuda { "cudaMemset", lua = "x:fill", family = "copies and fills",
  args = "out:devPtr int:value bytes:count",
  text = "Sets every byte, in the legacy stream." }
cuda { "cudaMemsetAsync", lua = "x:fill", family = "copies and fills",
  args = "out:devPtr int:value bytes:count stream:stream",
  text = "Sets every byte, in the order of a stream." }
cuda { "cudaMemset2D", family = "copies and fills",
  args = "out:devPtr pitch:pitch int:value width:width height:height",
  text = "Sets every byte of rows, in the legacy stream." }
cuda { "cudaMemset2DAsync", family = "copies and fills",
  args = "out:devPtr pitch:pitch int:value width:width height:height stream:stream",
  text = "Sets every byte of rows, in the order of a stream." }
cuda { "cudaMemPrefetchAsync", header = "CUDA 13", family = "memory of devices",
  args = "in:devPtr offset:count location:location flags:flags stream:stream",
  text = "Moves managed memory ahead of its use." }
cuda { "cudaMemAdvise", header = "CUDA 13", family = "memory of devices",
  args = "in:devPtr offset:count advice:advice location:location",
  text = "Says how managed memory will be used." }
cuda { "cudaMemGetInfo", lua = "cuda.memory", family = "devices",
  args = "bytes_out:free bytes_out:total",
  text = "Free and total bytes of the current device." }
cuda { "cudaStreamCreate", lua = "cuda.stream", family = "streams",
  makes = "stream",
  args = "stream_out:pStream",
  text = "A stream on the current device that synchronises with the legacy stream." }
cuda { "cudaStreamCreateWithFlags", lua = "cuda.stream", family = "streams",
  makes = "stream",
  args = "stream_out:pStream flags:flags",
  text = "A stream on the current device." }
cuda { "cudaStreamCreateWithPriority", lua = "cuda.stream", family = "streams",
  makes = "stream",
  args = "stream_out:pStream flags:flags int:priority",
  text = "A stream on the current device with a priority." }
cuda { "cudaStreamDestroy", lua = "stream:destroy", ends = "handle", family = "streams",
  frees = "stream",
  args = "stream:stream",
  text = "Frees a stream; its work goes on." }
cuda { "cudaStreamSynchronize", lua = "stream:sync", waits = true, family = "streams",
  args = "stream:stream",
  text = "Waits for everything in a stream." }
cuda { "cudaStreamQuery", lua = "stream:query", looks = true, family = "streams",
  args = "stream:stream",
  text = "Whether everything in a stream is done: cudaErrorNotReady if not." }
cuda { "cudaStreamWaitEvent", lua = "stream:wait", family = "streams",
  args = "stream:stream event:event flags:flags",
  text = "Later work in the stream waits for what the event's latest record waits for." }
cuda { "cudaStreamAddCallback", family = "functions of the host in a stream",
  args = "stream:stream streamfn:callback userdata:userData flags:flags",
  text = "Runs a function of the host in the order of a stream, with the stream's error." }
cuda { "cudaLaunchHostFunc", lua = "stream:callback", family = "functions of the host in a stream",
  args = "stream:stream hostfn:fn userdata:userData",
  text = "Runs a function of the host in the order of a stream." }
cuda { "cudaStreamGetFlags", family = "streams",
  args = "stream:hStream flags_out:flags",
  text = "The flags of a stream." }
cuda { "cudaStreamGetPriority", family = "streams",
  args = "stream:hStream int_out:priority",
  text = "The priority of a stream." }
cuda { "cudaStreamGetId", family = "streams",
  args = "stream:hStream serial_out:streamId",
  text = "The number of a stream, unique in the process." }
cuda { "cudaStreamGetDevice", family = "streams",
  args = "stream:hStream int_out:device",
  text = "The device of a stream." }
cuda { "cudaStreamIsCapturing", family = "capture of graphs",
  args = "stream:stream capture_out:pCaptureStatus",
  text = "Whether a stream is being captured into a graph." }
cuda { "cudaStreamBeginCapture", family = "capture of graphs",
  args = "stream:stream capturemode:mode",
  text = "Captures what follows in a stream into a graph." }
cuda { "cudaStreamEndCapture", family = "capture of graphs",
  makes = "graph",
  args = "stream:stream graph_out:pGraph",
  text = "Ends a capture; gives the graph." }
cuda { "cudaStreamGetCaptureInfo", header = "CUDA 13", family = "capture of graphs",
  args = "stream:stream capture_out:captureStatus_out serial_out:id_out graph_out:graph_out " ..
    "nodes_out:dependencies_out edges_out:edgeData_out bytes_out:numDependencies_out",
  text = "Whether a stream is being captured, and the number of the capture." }
cuda { "cudaThreadExchangeStreamCaptureMode", family = "capture of graphs",
  args = "capturemode_io:mode",
  text = "Which captures forbid the thread calls that may wait; gives the setting before." }
cuda { "cudaGraphCreate", family = "graphs",
  makes = "graph",
  args = "graph_out:pGraph flags:flags",
  text = "An empty graph." }
cuda { "cudaGraphDestroy", family = "graphs",
  frees = "graph",
  args = "graph:graph",
  text = "Frees a graph; what was made out of it stays." }
cuda { "cudaGraphGetNodes", family = "graphs",
  args = "graph:graph nodes:nodes nodecount:numNodes",
  text = "The nodes of a graph, or how many it has." }
cuda { "cudaGraphInstantiate", lua = "cuda.graph", family = "graphs",
  makes = "executable",
  args = "graphexec_out:pGraphExec graph:graph longflags:flags",
  text = "Makes of a graph what can be launched." }
cuda { "cudaGraphInstantiateWithFlags", family = "graphs",
  makes = "executable",
  args = "graphexec_out:pGraphExec graph:graph longflags:flags",
  text = "Makes of a graph what can be launched." }
cuda { "cudaGraphUpload", family = "graphs",
  args = "graphexec:graphExec stream:stream",
  text = "Prepares the first launch of a graph." }
cuda { "cudaGraphLaunch", lua = "graph:launch", family = "graphs",
  args = "graphexec:graphExec stream:stream",
  text = "Runs everything in a graph, in the order of a stream." }
cuda { "cudaGraphExecDestroy", lua = "graph:destroy", family = "graphs",
  frees = "executable",
  args = "graphexec:graphExec",
  text = "Frees what was made out of a graph; a launch that runs ends first." }
cuda { "cudaEventCreate", lua = "cuda.event", family = "events",
  makes = "event",
  args = "event_out:event",
  text = "An event on the current device." }
cuda { "cudaEventCreateWithFlags", lua = "cuda.event", family = "events",
  makes = "event",
  args = "event_out:event flags:flags",
  text = "An event on the current device." }
cuda { "cudaEventRecord", lua = "event:record", records = true, family = "events",
  args = "event:event stream:stream",
  text = "The event now stands for what is in the stream so far." }
cuda { "cudaEventRecordWithFlags", records = true, family = "events",
  args = "event:event stream:stream flags:flags",
  text = "The event now stands for what is in the stream so far; flags are for capture." }
cuda { "cudaEventQuery", lua = "event:query", looks = true, family = "events",
  args = "event:event",
  text = "Whether what the event stands for is done: cudaErrorNotReady if not." }
cuda { "cudaEventSynchronize", lua = "event:sync", waits = true, family = "events",
  args = "event:event",
  text = "Waits for what the event stands for." }
cuda { "cudaEventElapsedTime", lua = "event:elapsed", family = "events",
  args = "float_out:ms event:start event:end",
  text = "Milliseconds between two events." }
cuda { "cudaEventDestroy", lua = "event:destroy", ends = "handle", family = "events",
  frees = "event",
  args = "event:event",
  text = "Frees an event." }
cuda { "cudaIpcGetMemHandle", family = "memory and events of other processes",
  args = "ipcmem_out:handle memory:devPtr",
  text = "What another process needs to use an allocation." }
cuda { "cudaIpcOpenMemHandle", family = "memory and events of other processes",
  makes = "import",
  args = "memory_out:devPtr ipcmem:handle flags:flags",
  text = "Maps an allocation of another process." }
cuda { "cudaIpcCloseMemHandle", family = "memory and events of other processes",
  frees = "import",
  args = "memory:devPtr",
  text = "Ends the mapping of another process's allocation." }
cuda { "cudaIpcGetEventHandle", family = "memory and events of other processes",
  args = "ipcevent_out:handle event:event",
  text = "What another process needs to use an event." }
cuda { "cudaIpcOpenEventHandle", family = "memory and events of other processes",
  makes = "event",
  args = "event_out:event ipcevent:handle",
  text = "An event of another process." }

ext { "ncsDelay", lua = "stream:delay", family = "stand-ins for kernels",
  args = "stream:stream seconds:seconds",
  text = "Stands for a kernel that takes so long." }
ext { "ncsAdd", lua = "x:add", family = "stand-ins for kernels",
  args = "inout:dst in:src count:count dtype:datatype stream:stream",
  text = "Stands for a kernel: dst[i] = dst[i] + src[i], in the type." }
