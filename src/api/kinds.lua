-- The kinds of arguments that functions of the API have, and the structs among them.

local api = { kinds = {} }

-- Kinds of arguments: name, C type, member of union ncs_arg (journal.h) that holds it, the type in
-- scripts, meaning. Kinds whose name ends in "_out" are out-parameters: the argument is a pointer,
-- and scripts receive the value it points to as a result. by_value: a struct that C passes by
-- value; the member holds a pointer to it.
local function kind(name, ctype, member, script, text, by_value)
  api.kinds[#api.kinds + 1] = { name = name, ctype = ctype, member = member, script = script,
    text = text, by_value = by_value == "by value" }
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
kind("id",        "ncclUniqueId",          "p", "id",       "unique id", "by value")
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
kind("offset",    "size_t",                "u", "integer",  "bytes from the start")
kind("pitch",     "size_t",                "u", "integer",  "bytes from one row to the next")
kind("width",     "size_t",                "u", "integer",  "bytes of a row")
kind("height",    "size_t",                "u", "integer",  "rows")
kind("items",     "int",                   "i", "integer",  "entries of the list")
kind("room",      "int",                   "i", "integer",  "bytes that the output may have")
kind("id_in",     "const ncclUniqueId *",  "p", "id_or_nil", "unique id, or NULL")
kind("ids",       "ncclUniqueId *",        "p", "ids",      "list of unique ids")
kind("ranks",     "int *",                 "p", "integers", "list of ranks, which may be sorted")
kind("waits",     "ncclWaitSignalDesc_t *", "p", "waits",   "list of whose signals to wait for")
kind("siminfo",   "ncclSimInfo_t *",       "p", "siminfo",  "what an estimate is written to, or NULL")
kind("color",     "int",                   "i", "integer",  "of the new communicator, -1 for none")
kind("memstat",   "ncclCommMemStat_t",     "i", "integer",  "which statistic")
kind("window",    "ncclWindow_t",          "p", "window",   "window")
kind("registration", "void *",             "p", "registration", "registration of a buffer")
kind("param",     "ncclParamHandle_t",     "p", "param",    "parameter")
kind("text",      "const char *",          "p", "string",   "text, or NULL")
kind("pool",      "cudaMemPool_t",         "p", "pool",     "memory pool")
kind("poolprops", "const struct cudaMemPoolProps *", "p", "poolprops", "properties of a pool")
kind("poolattr",  "enum cudaMemPoolAttr",  "i", "integer",  "attribute of a pool")
kind("attribute", "void *",                "p", "pointer",  "value of an attribute, at most 8 bytes")
kind("location",  "struct cudaMemLocation", "p", "location", "where memory is to be", "by value")
kind("advice",    "enum cudaMemoryAdvise", "i", "integer",  "advice on the use of memory")
kind("deviceattr", "enum cudaDeviceAttr",  "i", "integer",  "attribute of a device")
kind("limit",     "enum cudaLimit",        "i", "integer",  "limit of a device")
kind("properties", "const struct cudaDeviceProp *", "p", "properties", "properties of a device")
kind("capturemode", "enum cudaStreamCaptureMode", "i", "integer", "what others may do meanwhile")
kind("capturemode_io", "enum cudaStreamCaptureMode *", "p", "pointer", "what others may do meanwhile, the old one on return")
kind("graph",     "cudaGraph_t",           "p", "pointer",  "graph of operations")
kind("graphexec", "cudaGraphExec_t",       "p", "pointer",  "graph that can be launched")
kind("nodes",     "cudaGraphNode_t *",     "p", "pointer",  "room for handles of nodes, or NULL")
kind("nodecount", "size_t *",              "p", "pointer",  "how many nodes; with room for them, its size")
kind("hostfn",    "cudaHostFn_t",          "f", "hostfn",   "function that is run in stream order")
kind("streamfn",  "cudaStreamCallback_t",  "f", "streamfn", "function that is run in stream order")
kind("userdata",  "void *",                "p", "any",      "any value, which the function is given")
kind("longflags", "unsigned long long",    "u", "integer",  "bits")
kind("ipcmem",    "cudaIpcMemHandle_t",    "p", "ipcmem",   "memory of another process", "by value")
kind("ipcevent",  "cudaIpcEventHandle_t",  "p", "ipcevent", "event of another process", "by value")

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
kind("i8_out",     "int8_t *",       "p", "integer", "integer of 8 bits")
kind("i16_out",    "int16_t *",      "p", "integer", "integer of 16 bits")
kind("i32_out",    "int32_t *",      "p", "integer", "integer of 32 bits")
kind("i64_out",    "int64_t *",      "p", "integer", "integer of 64 bits")
kind("u8_out",     "uint8_t *",      "p", "integer", "unsigned integer of 8 bits")
kind("u16_out",    "uint16_t *",     "p", "integer", "unsigned integer of 16 bits")
kind("u32_out",    "uint32_t *",     "p", "integer", "unsigned integer of 32 bits")
kind("u64_out",    "uint64_t *",     "p", "integer", "unsigned integer of 64 bits")
kind("flags_out",  "unsigned int *", "p", "integer", "bits")
kind("serial_out", "unsigned long long *", "p", "integer", "number of a stream")
kind("chars_out",  "char *",         "p", "string",  "text")
kind("text_out",   "const char **",  "p", "string",  "text")
kind("texts_out",  "const char ***", "p", "strings", "list of texts")
kind("window_out", "ncclWindow_t *", "p", "window",  "window")
kind("registration_out", "void **",  "p", "registration", "registration of a buffer")
kind("param_out",  "ncclParamHandle_t *", "p", "param", "parameter")
kind("commprops_out", "ncclCommProperties_t *", "p", "commprops", "properties of a communicator")
kind("pool_out",   "cudaMemPool_t *", "p", "pool",   "memory pool")
kind("properties_out", "struct cudaDeviceProp *", "p", "properties", "properties of a device")
kind("pointer_out", "struct cudaPointerAttributes *", "p", "pointerattrs", "what memory it is")
kind("capture_out", "enum cudaStreamCaptureStatus *", "p", "integer", "state of a capture")
kind("graph_out",  "cudaGraph_t *",  "p", "pointer", "graph of operations")
kind("nodes_out",  "const cudaGraphNode_t **", "p", "pointer", "list of nodes")
kind("edges_out",  "const cudaGraphEdgeData **", "p", "pointer", "list of what edges between nodes are")
kind("graphexec_out", "cudaGraphExec_t *", "p", "pointer", "graph that can be launched")
kind("entry_out",  "enum cudaDriverEntryPointQueryResult *", "p", "integer", "whether it was found")
kind("ipcmem_out", "cudaIpcMemHandle_t *", "p", "ipcmem", "memory, for another process")
kind("ipcevent_out", "cudaIpcEventHandle_t *", "p", "ipcevent", "event, for another process")

-- Structs that scripts see as tables (except simInfo, which is an object), for editors and the
-- reference page: script type, then the fields in C's order; fields without a type are integers.
api.structs = {
  { "waits", "ncclWaitSignalDesc", "opCnt peer sigIdx ctx" },
  { "siminfo", "ncclSimInfo", "size magic version estimatedTime:number" },
  { "commprops", "ncclCommProperties", "rank nRanks cudaDev nvmlDev deviceApiSupport:boolean " ..
    "multimemSupport:boolean ginType nLsaTeams hostRmaSupport:boolean railedGinType" },
  { "location", "cudaMemLocation", "type id" },
  { "poolprops", "cudaMemPoolProps", "allocType handleTypes location:ncclscript.cudaMemLocation " ..
    "maxSize usage" },
  { "pointerattrs", "cudaPointerAttributes", "type device devicePointer:ncclscript.pointer " ..
    "hostPointer:ncclscript.pointer" },
  { "properties", "cudaDeviceProp" }, -- include/ncclscript/cuda_tables.h has its fields
}

return api
