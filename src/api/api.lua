-- The functions of NCCL and of the CUDA runtime that ncclscript knows, once. gen.lua writes from it
-- the struct of function pointers, its description, the caller, the journal's wrapper, the editor
-- stubs and the reference page. To add a function: one entry here, then run gen.lua.

local api = { kinds = {}, functions = {} }

-- Kinds of arguments: name, C type, member of union ncs_arg (journal.h) that holds it, the type
-- that scripts see, meaning. Kinds whose name ends in "_out" are out-parameters: the argument is a
-- pointer, and scripts receive what it points to as a result.
local function kind(name, ctype, member, script, text)
  api.kinds[#api.kinds + 1] =
    { name = name, ctype = ctype, member = member, script = script, text = text }
end

kind("in",        "const void *",          "p", "pointer",  "memory that is read")
kind("out",       "void *",                "p", "pointer",  "memory that is written")
kind("inout",     "void *",                "p", "pointer",  "memory that is read and written")
kind("memory",    "void *",                "p", "pointer",  "an allocation")
kind("count",     "size_t",                "u", "integer",  "elements")
kind("bytes",     "size_t",                "u", "integer",  "bytes")
kind("dtype",     "ncclDataType_t",        "i", "integer",  "type of the elements")
kind("redop",     "ncclRedOp_t",           "i", "integer",  "operator, built in or a handle")
kind("root",      "int",                   "i", "integer",  "rank of the communicator")
kind("peer",      "int",                   "i", "integer",  "rank of the communicator")
kind("comm",      "ncclComm_t",            "p", "comm",     "communicator")
kind("stream",    "cudaStream_t",          "p", "stream",   "stream")
kind("event",     "cudaEvent_t",           "p", "event",    "event")
kind("id",        "ncclUniqueId",          "p", "id",       "unique id, by value")
kind("config",    "ncclConfig_t *",        "p", "config",   "configuration, NULL for the defaults")
kind("scalar",    "void *",                "p", "pointer",  "one element, where residence says")
kind("residence", "ncclScalarResidence_t", "i", "integer",  "where a scalar is")
kind("result",    "ncclResult_t",          "i", "integer",  "result code of NCCL")
kind("error",     "cudaError_t",           "i", "integer",  "error code of CUDA")
kind("int",       "int",                   "i", "integer",  "integer")
kind("nranks",    "int",                   "i", "integer",  "ranks of the communicator")
kind("rank",      "int",                   "i", "integer",  "rank of the caller")
kind("device",    "int",                   "i", "integer",  "device of the process")
kind("devices",   "const int *",           "p", "integers", "list of devices, NULL for 0, 1, ...")
kind("flags",     "unsigned int",          "u", "integer",  "bits")
kind("memcpy",    "enum cudaMemcpyKind",   "i", "integer",  "direction of a copy")
kind("seconds",   "double",                "d", "number",   "seconds")

kind("int_out",    "int *",          "p", "integer", "integer")
kind("bytes_out",  "size_t *",       "p", "integer", "bytes")
kind("float_out",  "float *",        "p", "number",  "number")
kind("id_out",     "ncclUniqueId *", "p", "id",      "unique id")
kind("comm_out",   "ncclComm_t *",   "p", "comm",    "communicator")
kind("comms_out",  "ncclComm_t *",   "p", "comms",   "communicators, as many as ranks")
kind("redop_out",  "ncclRedOp_t *",  "p", "integer", "handle of an operator")
kind("result_out", "ncclResult_t *", "p", "integer", "result code of NCCL")
kind("memory_out", "void **",        "p", "pointer", "an allocation")
kind("stream_out", "cudaStream_t *", "p", "stream",  "stream")
kind("event_out",  "cudaEvent_t *",  "p", "event",   "event")

-- An entry: C name, then
--   result   C type of the result (default: the library's result code)
--   args     "kind:name" in C's order
--   since    NCCL version that introduced it; only for NCCL
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
nccl { "ncclSend", since = "2.7.3", lua = "comm:send", counted = true, grouped = true,
  args = "in:sendbuff count:count dtype:datatype peer:peer comm:comm stream:stream",
  text = "Sends count elements to one rank, which must receive them." }
nccl { "ncclRecv", since = "2.7.3", lua = "comm:recv", counted = true, grouped = true,
  args = "out:recvbuff count:count dtype:datatype peer:peer comm:comm stream:stream",
  text = "Receives count elements that one rank sends." }
nccl { "ncclGroupStart", since = "2.0.0", lua = "nccl.group",
  args = "",
  text = "Calls of this thread are queued from here to the matching end." }
nccl { "ncclGroupEnd", since = "2.0.0", lua = "nccl.group",
  args = "",
  text = "The outermost end starts everything that was queued, at once." }

cuda { "cudaGetDeviceCount", lua = "cuda.device_count",
  args = "int_out:count",
  text = "How many devices the process sees." }
cuda { "cudaSetDevice", lua = "cuda.set_device",
  args = "device:device",
  text = "Makes a device the thread's current one." }
cuda { "cudaGetDevice", lua = "cuda.device",
  args = "int_out:device",
  text = "The thread's current device." }
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
cuda { "cudaMallocManaged", lua = "cuda.buffer",
  args = "memory_out:devPtr bytes:size flags:flags",
  text = "Allocates memory that host and devices share." }
cuda { "cudaMemcpy", lua = "x:copy_from",
  args = "out:dst in:src bytes:count memcpy:kind",
  text = "Copies bytes in the legacy stream and waits." }
cuda { "cudaMemcpyAsync", lua = "x:copy_from",
  args = "out:dst in:src bytes:count memcpy:kind stream:stream",
  text = "Copies bytes in the order of a stream." }
cuda { "cudaMemset", lua = "x:fill",
  args = "out:devPtr int:value bytes:count",
  text = "Sets every byte, in the legacy stream." }
cuda { "cudaMemsetAsync", lua = "x:fill",
  args = "out:devPtr int:value bytes:count stream:stream",
  text = "Sets every byte, in the order of a stream." }
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
cuda { "cudaEventCreate", lua = "cuda.event",
  args = "event_out:event",
  text = "An event on the current device." }
cuda { "cudaEventCreateWithFlags", lua = "cuda.event",
  args = "event_out:event flags:flags",
  text = "An event on the current device." }
cuda { "cudaEventRecord", lua = "event:record",
  args = "event:event stream:stream",
  text = "The event now stands for what is in the stream so far." }
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

ext { "ncsDelay", lua = "stream:delay",
  args = "stream:stream seconds:seconds",
  text = "Stands for a kernel that takes so long." }
ext { "ncsAdd", lua = "x:add",
  args = "inout:dst in:src count:count dtype:datatype stream:stream",
  text = "Stands for a kernel: dst[i] = dst[i] + src[i], in the type." }

return api
