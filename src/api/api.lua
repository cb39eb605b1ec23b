-- The only list of the functions of NCCL and the CUDA runtime that ncclscript knows. gen.lua writes
-- from it the list of functions that C rooms expand (gen/functions.def), their descriptions, the
-- caller, the editor stubs and the reference page. To add a function: add one entry here, then run
-- gen.lua.

local api = { functions = {} } -- kinds of arguments: kinds.lua

-- An entry has the C name, then
--   result   C type of the result (default: the library's result code)
--   args     "kind:name" in C's order
--   since    NCCL version that introduced it; only for NCCL
--   header   which official header has this signature: "CUDA 13", "nccl_device.h"
--   lua      the name that scripts call instead of C.name; nil: scripts have C.name only
--   counted  a communication call: numbered per communicator and rank
--   grouped  may be queued in a group, and poisons the group if it fails
--   direct   cannot fail and changes nothing: not journalled
--   text     one line
--   family   the page of src/report/pages/functions.txt that explains it
-- and facts about the call, which every room reads from ncs_fn_info:
--   reads, writes  blocks of count elements in a rank's buffers: "one", "all" (one for each rank),
--            "root one", "root all" (only on the root); nil: none
--   pair     a send or a receive: meets one call of the peer
--   composed NCCL carries it out as sends and receives (NCCL 2.30.7, src/collectives.cc)
--   one_sided  the peer makes no matching call
--   moves    of a collective: how data move, in words; OP and ROOT stand for the call's own
--   same     the function of which this is another name
--   joins    makes "one" rank of a communicator out of an id, or "all" of them
--   child    makes a communicator out of another
--   ends     which object it frees: "comm", "memory", "handle"
--   makes, frees  the kind of what it makes and somebody has to free, or frees: a word of
--            RESOURCES in gen.lua
--   looks    a query: neither waits nor changes anything
--   waits    blocks the host until work on a device is done
--   records  makes an event mark the work in a stream
--   closes_group  ends a group, started or only estimated
local function library(lib, result)
  return function(entry)
    entry.name, entry.lib, entry.result = entry[1], lib, entry.result or result
    api.functions[#api.functions + 1] = entry
  end
end

local nccl = library("nccl", "ncclResult_t")

nccl { "ncclGetVersion", since = "2.3.4", lua = "nccl.version",
  family = "version, errors and parameters of NCCL",
  args = "int_out:version",
  text = "The version of the library: 2.30.7 is 23007." }
nccl { "ncclGetUniqueId", since = "2.0.0", lua = "nccl.unique_id", family = "making communicators",
  args = "id_out:uniqueId",
  text = "An id that makes one communicator; all its ranks need the same." }
nccl { "ncclCommInitRank", since = "2.0.0", lua = "nccl.init_rank", grouped = true, joins = "one",
  makes = "comm",
  family = "making communicators",
  args = "comm_out:comm nranks:nranks id:commId rank:rank",
  text = "Joins a communicator as one of its ranks; waits for the others." }
nccl { "ncclCommInitRankConfig", since = "2.14.3", lua = "nccl.init_rank", grouped = true,
  makes = "comm",
  joins = "one",
  family = "making communicators",
  args = "comm_out:comm nranks:nranks id:commId rank:rank config:config",
  text = "Joins a communicator as one of its ranks, with a configuration." }
nccl { "ncclCommInitRankScalable", since = "2.23.4", lua = "nccl.init_rank", grouped = true,
  makes = "comm",
  joins = "one",
  family = "making communicators",
  args = "comm_out:newcomm nranks:nranks rank:myrank items:nId ids:commIds config:config",
  text = "Joins a communicator that has several ids, which share the work of the meeting." }
nccl { "ncclCommInitAll", since = "2.0.0", lua = "nccl.init_all", joins = "all",
  makes = "comm",
  family = "making communicators",
  args = "comms_out:comm nranks:ndev devices:devlist",
  text = "Makes a communicator of which this thread drives every rank." }
nccl { "ncclCommFinalize", since = "2.14.3", lua = "comm:finalize", grouped = true,
  family = "ending communicators",
  args = "comm:comm",
  text = "Completes this rank's operations; then only destroy and abort are allowed." }
nccl { "ncclCommDestroy", since = "2.0.0", lua = "comm:destroy", grouped = true, ends = "comm",
  frees = "comm",
  family = "ending communicators",
  args = "comm:comm",
  text = "Completes this rank's operations and frees its part of the communicator." }
nccl { "ncclCommAbort", since = "2.4.2", lua = "comm:abort", grouped = true, ends = "comm",
  frees = "comm",
  family = "ending communicators",
  args = "comm:comm",
  text = "Cuts this rank's operations short and frees its part of the communicator." }
nccl { "ncclCommRevoke", since = "2.28.7", lua = "comm:revoke", grouped = true,
  family = "ending communicators",
  args = "comm:comm int:revokeFlags",
  text = "Cuts this rank's operations short; the communicator stays and takes no new ones." }
nccl { "ncclCommSplit", since = "2.18.1", lua = "comm:split", grouped = true, child = true,
  makes = "comm",
  family = "communicators out of others",
  args = "comm:comm color:color int:key comm_out:newcomm config:config",
  text = "Makes one communicator per colour out of all ranks, in order of key." }
nccl { "ncclCommShrink", since = "2.27.3", lua = "comm:shrink", grouped = true, child = true,
  makes = "comm",
  family = "communicators out of others",
  args = "comm:comm ranks:excludeRanksList items:excludeRanksCount comm_out:newcomm " ..
    "config:config int:shrinkFlags",
  text = "Makes a communicator without some ranks; only those that stay call it." }
nccl { "ncclCommGetUniqueId", since = "2.29.2", lua = "comm:unique_id",
  family = "communicators out of others",
  args = "comm:comm id_out:uniqueId",
  text = "An id with which new ranks join; one rank asks for it, good for one grow." }
nccl { "ncclCommGrow", since = "2.29.2", lua = "comm:grow", grouped = true, child = true,
  makes = "comm",
  family = "communicators out of others",
  args = "comm:comm nranks:nRanks id_in:uniqueId int:rank comm_out:newcomm config:config",
  text = "Makes a communicator with further ranks; old ranks pass it and rank -1, new ones the id." }
nccl { "ncclCommSuspend", since = "2.29.7", lua = "comm:suspend", grouped = true,
  family = "memory of communicators",
  args = "comm:comm int:flags",
  text = "Releases the communicator's device memory until it is resumed." }
nccl { "ncclCommResume", since = "2.29.7", lua = "comm:resume", grouped = true,
  family = "memory of communicators",
  args = "comm:comm",
  text = "Takes back the memory of a suspended communicator." }
nccl { "ncclCommMemStats", since = "2.29.7", lua = "comm:mem_stats",
  family = "memory of communicators",
  args = "comm:comm memstat:stat u64_out:value",
  text = "One figure of the communicator's device memory." }
nccl { "ncclCommQueryProperties", since = "2.29.2", header = "nccl_device.h",
  family = "facts of a communicator",
  args = "comm:comm commprops_out:props",
  text = "What the communicator is and can do." }
nccl { "ncclMemAlloc", since = "2.19.1", lua = "cuda.buffer",
  makes = "memory",
  family = "registered memory and windows",
  args = "memory_out:ptr bytes:size",
  text = "Allocates device memory that windows and registration can use." }
nccl { "ncclMemFree", since = "2.19.1", lua = "x:free", ends = "memory",
  frees = "memory",
  family = "registered memory and windows",
  args = "memory:ptr",
  text = "Frees memory of ncclMemAlloc; waits for the device." }
nccl { "ncclCommRegister", since = "2.19.1", lua = "comm:register",
  makes = "registration",
  family = "registered memory and windows",
  args = "comm:comm memory:buff bytes:size registration_out:handle",
  text = "Registers a buffer, so that operations may use it without a copy." }
nccl { "ncclCommDeregister", since = "2.19.1", lua = "registration:deregister", ends = "handle",
  frees = "registration",
  family = "registered memory and windows",
  args = "comm:comm registration:handle",
  text = "Ends a registration." }
nccl { "ncclCommWindowRegister", since = "2.27.3", lua = "comm:window", grouped = true,
  makes = "window",
  family = "registered memory and windows",
  args = "comm:comm memory:buff bytes:size window_out:win int:winFlags",
  text = "Makes a buffer of every rank a window; all ranks call it." }
nccl { "ncclCommWindowDeregister", since = "2.27.3", lua = "window:deregister", ends = "handle",
  frees = "window",
  family = "registered memory and windows",
  args = "comm:comm window:win",
  text = "Ends a window." }
nccl { "ncclWinGetUserPtr", since = "2.29.2", lua = "window.ptr",
  family = "registered memory and windows",
  args = "comm:comm window:win memory_out:outUserPtr",
  text = "The buffer of this rank behind a window." }
nccl { "ncclResetDebugInit", since = "2.24.3", result = "void",
  family = "version, errors and parameters of NCCL",
  args = "",
  text = "Reads the debug environment again; deprecated." }
nccl { "ncclGetErrorString", since = "2.0.0", lua = "nccl.error_string", direct = true,
  result = "const char *",
  family = "version, errors and parameters of NCCL",
  args = "result:result",
  text = "A result code in words." }
nccl { "ncclGetLastError", since = "2.13.4", lua = "nccl.last_error", direct = true,
  result = "const char *",
  family = "version, errors and parameters of NCCL",
  args = "comm:comm",
  text = "The last warning of any thread of the process; the communicator is ignored." }
nccl { "ncclCommGetAsyncError", since = "2.4.2", lua = "comm:async_error", looks = true,
  family = "facts of a communicator",
  args = "comm:comm result_out:asyncError",
  text = "Whether the communicator is in progress or has failed." }
nccl { "ncclCommCount", since = "2.0.0", lua = "comm.nranks", family = "facts of a communicator",
  args = "comm:comm int_out:count",
  text = "How many ranks the communicator has." }
nccl { "ncclCommCuDevice", since = "2.0.0", lua = "comm.device", family = "facts of a communicator",
  args = "comm:comm int_out:device",
  text = "The CUDA device of this rank." }
nccl { "ncclCommUserRank", since = "2.0.0", lua = "comm.rank", family = "facts of a communicator",
  args = "comm:comm int_out:rank",
  text = "This rank's number in the communicator." }
nccl { "ncclRedOpCreatePreMulSum", since = "2.11.4", lua = "comm:premulsum", family = "operators",
  makes = "operator",
  args = "redop_out:op scalar:scalar dtype:datatype residence:residence comm:comm",
  text = "An operator that multiplies this rank's input by a scalar before the sum." }
nccl { "ncclRedOpDestroy", since = "2.11.4", lua = "op:destroy", ends = "handle",
  frees = "operator",
  family = "operators",
  args = "redop:op comm:comm",
  text = "Frees an operator; calls that were made with it are not affected." }
nccl { "ncclReduce", since = "2.0.0", lua = "comm:reduce", counted = true, grouped = true,
  reads = "one", writes = "root one",
  family = "collectives",
  args = "in:sendbuff out:recvbuff count:count dtype:datatype redop:op root:root comm:comm " ..
    "stream:stream",
  moves = "ROOT alone gets the OP of what all ranks have",
  text = "Combines every rank's count elements; the result goes to the root." }
nccl { "ncclBcast", since = "2.0.0", counted = true, grouped = true, family = "collectives",
  same = "ncclBroadcast", reads = "root one", writes = "one",
  args = "inout:buff count:count dtype:datatype root:root comm:comm stream:stream",
  text = "Copies count elements of the root to every rank, in place." }
nccl { "ncclBroadcast", since = "2.2.12", lua = "comm:broadcast", counted = true, grouped = true,
  reads = "root one", writes = "one",
  family = "collectives",
  args = "in:sendbuff out:recvbuff count:count dtype:datatype root:root comm:comm stream:stream",
  moves = "every rank gets what ROOT has",
  text = "Copies count elements of the root to every rank." }
nccl { "ncclAllReduce", since = "2.0.0", lua = "comm:all_reduce", counted = true, grouped = true,
  reads = "one", writes = "one",
  family = "collectives",
  args = "in:sendbuff out:recvbuff count:count dtype:datatype redop:op comm:comm stream:stream",
  moves = "every rank gets the OP of what all ranks have",
  text = "Combines every rank's count elements; every rank gets the result." }
nccl { "ncclReduceScatter", since = "2.0.0", lua = "comm:reduce_scatter", family = "collectives",
  counted = true, grouped = true, reads = "all", writes = "one",
  args = "in:sendbuff out:recvbuff count:recvcount dtype:datatype redop:op comm:comm stream:stream",
  moves = "each rank gets its own part of the OP of what all ranks have",
  text = "Combines every rank's elements; rank r gets block r of recvcount elements." }
nccl { "ncclAllGather", since = "2.0.0", lua = "comm:all_gather", counted = true, grouped = true,
  reads = "one", writes = "all",
  family = "collectives",
  args = "in:sendbuff out:recvbuff count:sendcount dtype:datatype comm:comm stream:stream",
  moves = "every rank gets what all ranks have, one behind the other",
  text = "Every rank gets every rank's sendcount elements, in order of rank." }
nccl { "ncclAlltoAll", since = "2.28.3", lua = "comm:all_to_all", counted = true, grouped = true,
  composed = true, reads = "all", writes = "all",
  family = "collectives made of sends",
  args = "in:sendbuff out:recvbuff count:count dtype:datatype comm:comm stream:stream",
  moves = "part d of what rank s has becomes part s of what rank d gets",
  text = "Every rank sends block r of count elements to rank r." }
nccl { "ncclGather", since = "2.28.3", lua = "comm:gather", counted = true, grouped = true,
  composed = true, reads = "one", writes = "root all",
  family = "collectives made of sends",
  args = "in:sendbuff out:recvbuff count:count dtype:datatype root:root comm:comm stream:stream",
  moves = "ROOT alone gets what all ranks have, one behind the other",
  text = "The root gets every rank's count elements, in order of rank." }
nccl { "ncclScatter", since = "2.28.3", lua = "comm:scatter", counted = true, grouped = true,
  composed = true, reads = "root all", writes = "one",
  family = "collectives made of sends",
  args = "in:sendbuff out:recvbuff count:count dtype:datatype root:root comm:comm stream:stream",
  moves = "each rank gets its own part of what ROOT has",
  text = "Rank r gets block r of count elements of the root." }
nccl { "ncclSend", since = "2.7.3", lua = "comm:send", counted = true, grouped = true,
  pair = true, reads = "one",
  family = "sends and receives",
  args = "in:sendbuff count:count dtype:datatype peer:peer comm:comm stream:stream",
  text = "Sends count elements to one rank, which must receive them." }
nccl { "ncclRecv", since = "2.7.3", lua = "comm:recv", counted = true, grouped = true,
  pair = true, writes = "one",
  family = "sends and receives",
  args = "out:recvbuff count:count dtype:datatype peer:peer comm:comm stream:stream",
  text = "Receives count elements that one rank sends." }
nccl { "ncclPutSignal", since = "2.29.2", lua = "comm:put_signal", counted = true, grouped = true,
  one_sided = true, reads = "one",
  family = "one-sided calls",
  args = "in:localbuff count:count dtype:datatype peer:peer window:peerWin offset:peerWinOffset " ..
    "int:sigIdx int:ctx flags:flags comm:comm stream:stream",
  text = "Writes count elements into a peer's window, then signals the peer." }
nccl { "ncclSignal", since = "2.29.2", lua = "comm:signal", counted = true, grouped = true,
  one_sided = true,
  family = "one-sided calls",
  args = "peer:peer int:sigIdx int:ctx flags:flags comm:comm stream:stream",
  text = "Signals a peer." }
nccl { "ncclWaitSignal", since = "2.29.2", lua = "comm:wait_signal", counted = true, grouped = true,
  one_sided = true,
  family = "one-sided calls",
  args = "items:nDesc waits:signalDescs comm:comm stream:stream",
  text = "The stream waits for so many signals of each peer that is listed." }
nccl { "ncclGroupStart", since = "2.0.0", lua = "nccl.group", family = "groups",
  args = "",
  text = "Calls of this thread are queued from here to the matching end." }
nccl { "ncclGroupEnd", since = "2.0.0", lua = "nccl.group", closes_group = true, family = "groups",
  args = "",
  text = "The outermost end starts everything that was queued, at once." }

nccl { "ncclGroupSimulateEnd", since = "2.22.3", lua = "nccl.simulate", closes_group = true,
  family = "groups",
  args = "siminfo:simInfo",
  text = "Ends a group without starting it, and estimates how long it would take." }
nccl { "ncclParamBind", since = "2.30.4", family = "version, errors and parameters of NCCL",
  args = "param_out:out text:key",
  text = "A parameter of the library by its name." }
for _, int in ipairs { "I8", "I16", "I32", "I64", "U8", "U16", "U32", "U64" } do
  nccl { "ncclParamGet" .. int, since = "2.30.4", family = "version, errors and parameters of NCCL",
    args = ("param:h %s_out:out"):format(int:lower()),
    text = ("The value of a parameter that is an %sinteger of %s bits."):format(
      int:sub(1, 1) == "U" and "unsigned " or "", int:sub(2)) }
end
nccl { "ncclParamGetStr", since = "2.30.4", family = "version, errors and parameters of NCCL",
  args = "param:h text_out:out",
  text = "The value of a parameter that is a text." }
nccl { "ncclParamGet", since = "2.30.4", family = "version, errors and parameters of NCCL",
  args = "param:h out:out room:maxLen int_out:len",
  text = "The bytes of a parameter's value, of whatever type." }
nccl { "ncclParamGetParameter", since = "2.30.4", lua = "nccl.param",
  family = "version, errors and parameters of NCCL",
  args = "text:key text_out:value int_out:valueLen",
  text = "The value of a parameter in words." }
nccl { "ncclParamGetAllParameterKeys", since = "2.30.4", lua = "nccl.params",
  family = "version, errors and parameters of NCCL",
  args = "texts_out:table int_out:tableLen",
  text = "The names of all parameters." }
nccl { "ncclParamDumpAll", since = "2.30.4", result = "void",
  family = "version, errors and parameters of NCCL",
  args = "",
  text = "Prints all parameters to the standard output." }

-- The functions of the CUDA runtime, beside this file.
assert(loadfile(debug.getinfo(1, "S").source:match("^@(.*)api%.lua$") .. "api_cuda.lua"))(library)

return api
