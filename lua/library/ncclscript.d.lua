---@meta
-- What scenarios find ready-made, for editors. The table C is in ncclscript_c.d.lua.

---@alias ncclscript.dtype
---| "int8" | "uint8" | "int32" | "uint32" | "int64" | "uint64"
---| "float16" | "float32" | "float64" | "bfloat16" | "float8e4m3" | "float8e5m2"
---| "char" | "int" | "half" | "float" | "double"
---@alias ncclscript.op "sum" | "prod" | "max" | "min" | "avg" | ncclscript.premulsum
---@alias ncclscript.result "ncclSuccess" | "ncclInProgress"

---@class ncclscript.label_options
---@field label? string # shown in reports, and compared among ranks when a hang is explained

---What calls that reach NCCL or CUDA raise, and wrong use of an object.
---@class ncclscript.error
---@field kind "nccl" | "cuda" | "usage" | "expect" | "scenario"
---@field code integer # NCCL's or CUDA's; 0 for the other kinds
---@field name string # "ncclInvalidArgument", "cudaErrorMemoryAllocation"; else the kind
---@field call? string # C name of the function
---@field rank integer
---@field comm? string
---@field line integer
---@field label? string
---@field message string
---@field detail? string # what ncclGetLastError says

-- ---- the declaration ----

---@class ncclscript.outcome
---@field hang? true | { culprit?: integer | integer[], waiting?: integer | integer[] | "all" | "others", call?: integer, comm?: string, why?: string }
---@field error? string # error that ends `rank`: "ncclInvalidArgument", or its kind: "nccl", "cuda", "usage", "expect", "lua"
---@field rank? integer # with error
---@field call? string # with error: C name of the function
---@field wrong? true | { rank?: integer, call?: integer, comm?: string, first?: integer }
---@field lost? integer
---@field pass? true # with finding or findings
---@field finding? string | { rule?: string, culprit?: integer | integer[], waiting?: integer | integer[] | "all" | "others", call?: integer, comm?: string, certainty?: "certain" | "luck" | "undefined" | "likely" } # what must be reported too
---@field findings? integer # how many findings are errors

---@class ncclscript.run
---@field param table<string, any>
---@field nranks integer
---@field policy "strict" | "typical"
---@field driver string
---@field nccl string

---@class ncclscript.declaration
---@field about? string
---@field ranks? integer | fun(param: table<string, any>): integer
---@field devices? integer # GPUs per virtual host
---@field world? boolean | ncclscript.comm_config
---@field params? table<string, number | string | boolean>
---@field matrix? table<string, (number | string | boolean)[]> # values of params, ranks, seed: a case per combination
---@field exclude? table<string, number | string | boolean>[] # combinations to leave out, by some of their values
---@field outcome? "pass" | ncclscript.outcome | fun(run: ncclscript.run): "pass" | ncclscript.outcome
---@field bug? { entry: string, nccl?: string, thread?: string | string[] } # the bug of the catalogue that it shows
---@field policy? "strict" | "typical"
---@field verify? boolean
---@field needs? { driver?: string, nccl?: string, gpus?: integer }
---@field timeout? number | string
---@field env? table<string, string> # numbers, switches and names of NCCL_* and CUDA_*, over those of the process; any other needs --unsafe
---@field sim? { nccl?: "2.28.9" | "2.29.2" | "2.29.7" | "2.30.3" | "2.30.4" | "2.30.7", memory?: integer | string, capability?: number, eager?: integer | string, lanes?: integer, model?: "plain" | "hgx-a100" | "hgx-h100", ready_after?: integer, quirks?: boolean }

---The first statement of a scenario.
---@param declaration ncclscript.declaration
function scenario(declaration) end

-- ---- ready-made ----

---@type integer # of the run, from 0
rank = 0
---@type integer
nranks = 0
---@type ncclscript.comm # over all ranks; nil if world = false
world = nil
---@type ncclscript.stream
stream = nil
---@type table<string, number | string | boolean>
param = {}

---@class ncclscript.store
store = {}
---@param key string
---@param value any # text, number, boolean, id or a plain table of these
---@return ncclscript.store self
function store:set(key, value) end
---Waits for the key; nil after the time-out.
---@param key string
---@param options? { timeout?: number, label?: string }
---@return any
function store:get(key, options) end
---@param key string
---@param n integer
---@return integer sum
function store:add(key, n) end

---A barrier of hosts: true, or false after the time-out.
---@param options? { ranks?: integer[], timeout?: number, label?: string }
---@return boolean
function barrier(options) end

---@class ncclscript.thread
---@field done boolean
local thread = {}
---Waits for the thread; gives its function's results or raises its error.
function thread:join() end

---A further thread of this rank.
---@param fn function
---@return ncclscript.thread
function spawn(fn, ...) end

---@param seconds number
function sleep(seconds) end
---@return number seconds
function clock() end
---The run ends as skipped.
---@param reason? string
function skip(reason) end

-- ---- expect ----

---@class ncclscript.expect
expect = {}
---Every expectation records its failure, returns false and goes on; fatal raises.
---@param got any
---@param want any # for a buffer: a value for all elements, a list, function(i), or a buffer
---@param options? { tol?: number, fatal?: boolean, label?: string }
---@return boolean
function expect.equal(got, want, options) end
---@param condition any
---@param text? string
---@param options? { fatal?: boolean, label?: string }
---@return boolean
function expect.that(condition, text, options) end
---Fails unless fn raises the error of that name; returns the error.
---@param name string
---@param fn function
---@return any
function expect.error(name, fn, ...) end

-- ---- fault ----

---When a fault happens. Nothing given: now. Hosts run ahead of GPUs: what a rank has launched before
---may not have moved yet.
---@class ncclscript.when
---@field rank? integer # only there, the other ranks pass by
---@field comm? ncclscript.comm # of call, link and async_error: world by default; of func: any by default
---@field call? integer # before this rank's call of that number on comm, from 1
---@field func? string # before a use of that C function by this rank: "cudaMalloc"
---@field nth? integer # before the nth use from here on; 1 by default
---@field label? string

---@class ncclscript.when.seconds: ncclscript.when
---@field seconds number

---@class ncclscript.when.code: ncclscript.when
---@field code string|integer # "ncclSystemError", of a CUDA function "cudaErrorMemoryAllocation"

---@class ncclscript.when.elements: ncclscript.when
---@field first? integer # the first element that is spoilt, from 1; 1 by default
---@field count? integer # of elements; by default all that follow

---@class ncclscript.when.link: ncclscript.when
---@field peer integer # rank of comm at the other end
---@field seconds? number # that everything over the link takes longer; without it the link is cut

---What goes wrong. kill, stall, slow and fail on either driver, the others on the simulator alone: the
---run is skipped on real NCCL.
---@class ncclscript.fault
fault = {}
---This rank dies: all its threads, and what its GPU has not begun. Its neighbours on other hosts have
---the asynchronous error ncclRemoteError when they next communicate; nobody else is told.
---@param when? ncclscript.when
function fault.kill(when) end
---This thread stops for ever; the rank stays alive.
---@param when? ncclscript.when
function fault.stall(when) end
---The call is made so many seconds later.
---@param when ncclscript.when.seconds
function fault.slow(when) end
---The call is not made and gives that code. Needs call or func.
---@param when ncclscript.when.code
function fault.fail(when) end
---What the call writes on this rank, or a put in the window of its peer, comes out wrong; without call and
---func: the next that moves data.
---@param when? ncclscript.when.elements
function fault.corrupt(when) end
---The link between this rank and the peer is slow or cut, for all communicators. Between hosts both
---ends have the asynchronous error ncclRemoteError once they use it.
---@param when ncclscript.when.link
function fault.link(when) end
---What ncclCommGetAsyncError says of comm on this rank from then on.
---@param when ncclscript.when.code
function fault.async_error(when) end

-- ---- NCCL ----

---@class ncclscript.id

---@class ncclscript.comm_config
---@field name? string
---@field blocking? boolean | integer
---@field cga_cluster_size? integer
---@field min_ctas? integer
---@field max_ctas? integer
---@field net_name? string
---@field split_share? boolean | integer
---@field traffic_class? integer
---@field comm_name? string
---@field collnet_enable? boolean | integer
---@field cta_policy? integer
---@field shrink_share? boolean | integer
---@field nvls_ctas? integer
---@field n_channels_per_net_peer? integer
---@field nvlink_centric_sched? boolean | integer
---@field graph_usage_mode? integer
---@field num_rma_ctx? integer
---@field max_p2p_peers? integer
---@field graph_stream_ordering? boolean | integer
---@field label? string

---@class ncclscript.split_options: ncclscript.comm_config
---@field color integer # ranks of one colour become one communicator; nccl.NOCOLOR: in none
---@field key? integer # order of the new ranks; 0 by default: as in the old communicator
---@class ncclscript.shrink_options: ncclscript.comm_config
---@field abort? boolean # cut short what runs on the old communicator
---@class ncclscript.grow_options: ncclscript.comm_config
---@field id? ncclscript.id # of comm:unique_id(); given by the rank that made it

---@class ncclscript.nccl
---@field NOCOLOR integer # -1: comm:split makes no communicator for this rank
nccl = {}
---@param options? ncclscript.label_options
---@return ncclscript.id
function nccl.unique_id(options) end
---@param nranks integer
---@param id ncclscript.id | ncclscript.id[] # several share the work; the same list on every rank
---@param rank integer
---@param config? ncclscript.comm_config
---@return ncclscript.comm
function nccl.init_rank(nranks, id, rank, config) end
---Joins a communicator that grows, as a new rank.
---@param nranks integer # of the new communicator
---@param id ncclscript.id # of comm:unique_id() on an old rank
---@param rank integer # old size to nranks - 1
---@param config? ncclscript.comm_config
---@return ncclscript.comm
function nccl.grow(nranks, id, rank, config) end
---@param devices integer | integer[]
---@param options? { name?: string, label?: string }
---@return ncclscript.comm[] # comms[1].rank == 0
function nccl.init_all(devices, options) end
---Group start, fn, group end; returns fn's results, or "ncclInProgress".
---@param label string
---@param fn function
---@overload fun(fn: function): any
function nccl.group(label, fn) end
---Group start, fn, and an end that estimates: communication of blocking communicators is not started.
---@param label string
---@param fn function
---@return number? seconds # of the last collective; nil when there is none
---@overload fun(fn: function): number?
function nccl.simulate(label, fn) end
---@param options? ncclscript.label_options
---@return integer code # 23007
---@return string text # "2.30.7"
function nccl.version(options) end
---@param result string | integer
---@param options? ncclscript.label_options
---@return string
function nccl.error_string(result, options) end
---@param options? ncclscript.label_options
---@return string
function nccl.last_error(options) end
---@param key string # "NCCL_MAX_CTAS"
---@param options? ncclscript.label_options
---@return string # what NCCL makes of the variable: its value, or the default
function nccl.param(key, options) end
---@param options? ncclscript.label_options
---@return table<string, string>
function nccl.params(options) end

---@class ncclscript.call_options
---@field count? integer
---@field stream? ncclscript.stream
---@field label? string
---@field verify? boolean
---@class ncclscript.op_options: ncclscript.call_options
---@field op? ncclscript.op
---@class ncclscript.root_options: ncclscript.call_options
---@field root? integer # a rank of the communicator, 0 by default; any other is refused, C takes it
---@class ncclscript.reduce_options: ncclscript.op_options
---@field root? integer # a rank of the communicator, 0 by default; any other is refused, C takes it
---@class ncclscript.peer_options: ncclscript.call_options
---@field peer? integer # a rank of the communicator; any other is refused, C takes it

---@class ncclscript.comm
---@field rank integer
---@field nranks integer
---@field device integer
---@field name string
---@field stream ncclscript.stream # where communication goes by default; can be assigned
---@field state "ready" | "pending" | "error" | "finalized" | "revoked" | "aborted" | "destroyed"
---@field interrupted boolean # its work was cut short by abort, revoke, or shrink with abort
local comm = {}
---@param send ncclscript.buffer
---@param recv? ncclscript.buffer
---@param options? ncclscript.op_options
---@return ncclscript.result
---@overload fun(self: ncclscript.comm, buffer: ncclscript.buffer, options: ncclscript.op_options): ncclscript.result
function comm:all_reduce(send, recv, options) end
---@param send ncclscript.buffer | nil # nil off the root
---@param recv? ncclscript.buffer
---@param options? ncclscript.root_options
---@return ncclscript.result
---@overload fun(self: ncclscript.comm, buffer: ncclscript.buffer, options: ncclscript.root_options): ncclscript.result
function comm:broadcast(send, recv, options) end
---@param send ncclscript.buffer
---@param recv? ncclscript.buffer # nil off the root
---@param options? ncclscript.reduce_options
---@return ncclscript.result
---@overload fun(self: ncclscript.comm, buffer: ncclscript.buffer, options: ncclscript.reduce_options): ncclscript.result
function comm:reduce(send, recv, options) end
---One buffer is recv; send is then this rank's part of it.
---@param send ncclscript.buffer
---@param recv? ncclscript.buffer
---@param options? ncclscript.call_options
---@return ncclscript.result
---@overload fun(self: ncclscript.comm, recv: ncclscript.buffer, options: ncclscript.call_options): ncclscript.result
function comm:all_gather(send, recv, options) end
---One buffer is send; recv is then this rank's part of it.
---@param send ncclscript.buffer
---@param recv? ncclscript.buffer
---@param options? ncclscript.op_options
---@return ncclscript.result
---@overload fun(self: ncclscript.comm, send: ncclscript.buffer, options: ncclscript.op_options): ncclscript.result
function comm:reduce_scatter(send, recv, options) end
---Block p of rank r becomes block r of rank p; count is of one block. Not in place.
---@param send ncclscript.buffer
---@param recv ncclscript.buffer
---@param options? ncclscript.call_options
---@return ncclscript.result
function comm:all_to_all(send, recv, options) end
---@param send ncclscript.buffer
---@param recv? ncclscript.buffer # nil off the root; there nranks blocks
---@param options? ncclscript.root_options
---@return ncclscript.result
---@overload fun(self: ncclscript.comm, send: ncclscript.buffer, options: ncclscript.root_options): ncclscript.result
function comm:gather(send, recv, options) end
---@param send ncclscript.buffer | nil # nil off the root; there nranks blocks
---@param recv ncclscript.buffer
---@param options? ncclscript.root_options
---@return ncclscript.result
function comm:scatter(send, recv, options) end
---Writes a buffer into a peer's window and signals the peer. The buffer is in a symmetric window.
---@param buffer ncclscript.buffer
---@param peer integer # a rank of the communicator
---@param window ncclscript.window
---@param options? { first?: integer, count?: integer, sig_idx?: integer, ctx?: integer, flags?: integer, stream?: ncclscript.stream, verify?: boolean, label?: string }
---@return ncclscript.result
function comm:put_signal(buffer, peer, window, options) end
---@param peer integer # a rank of the communicator
---@param options? { sig_idx?: integer, ctx?: integer, flags?: integer, stream?: ncclscript.stream, label?: string }
---@return ncclscript.result
function comm:signal(peer, options) end
---The stream waits for signals: op_cnt (1) of each peer.
---@param peers integer | (integer | { peer: integer, op_cnt?: integer, sig_idx?: integer, ctx?: integer })[]
---@param options? { op_cnt?: integer, sig_idx?: integer, ctx?: integer, stream?: ncclscript.stream, label?: string }
---@return ncclscript.result
function comm:wait_signal(peers, options) end
---Makes a buffer of every rank a window; all ranks call it. Its memory is "nccl".
---@param buffer ncclscript.buffer
---@param options? { symmetric?: boolean, strict_ordering?: boolean, label?: string }
---@return ncclscript.window # nil where NCCL has no windows
function comm:window(buffer, options) end
---@param buffer ncclscript.buffer
---@param options? ncclscript.label_options
---@return ncclscript.registration
function comm:register(buffer, options) end
---@param buffer ncclscript.buffer
---@param peer integer # a rank of the communicator
---@param options? ncclscript.peer_options
---@return ncclscript.result
---@overload fun(self: ncclscript.comm, buffer: ncclscript.buffer, options: ncclscript.peer_options): ncclscript.result
function comm:send(buffer, peer, options) end
---@param buffer ncclscript.buffer
---@param peer integer # a rank of the communicator
---@param options? ncclscript.peer_options
---@return ncclscript.result
---@overload fun(self: ncclscript.comm, buffer: ncclscript.buffer, options: ncclscript.peer_options): ncclscript.result
function comm:recv(buffer, peer, options) end
---@param dtype ncclscript.dtype
---@param scalar number | ncclscript.buffer # a number: kept by the operator; a buffer: read when a call runs
---@param options? ncclscript.label_options
---@return ncclscript.premulsum
function comm:premulsum(dtype, scalar, options) end
---Every rank calls it; pending until the parent is ready again, if that is non-blocking.
---@param options ncclscript.split_options
---@return ncclscript.comm? # nil for nccl.NOCOLOR
function comm:split(options) end
---Only the ranks that stay call it.
---@param ranks integer[] # to leave out
---@param options? ncclscript.shrink_options
---@return ncclscript.comm
function comm:shrink(ranks, options) end
---An id with which new ranks join; one rank makes it, for one growth.
---@param options? ncclscript.label_options
---@return ncclscript.id
function comm:unique_id(options) end
---Every old rank calls it; they keep their numbers.
---@param nranks integer # of the new communicator
---@param options? ncclscript.grow_options
---@return ncclscript.comm
function comm:grow(nranks, options) end
---Cuts this rank's work short; what is left to do is split, shrink, destroy, abort.
---@param options? { flags?: integer, label?: string }
---@return ncclscript.result
function comm:revoke(options) end
---Gives device memory back; every rank calls it.
---@param options? { flags?: integer, label?: string }
---@return ncclscript.result
function comm:suspend(options) end
---@param options? ncclscript.label_options
---@return ncclscript.result
function comm:resume(options) end
---Bytes of device memory, and whether (1) they are given back; the simulator's figures are its own.
---@param options? ncclscript.label_options
---@return { suspend: integer, suspended: integer, persist: integer, total: integer }
function comm:mem_stats(options) end
---@param options? ncclscript.label_options
---@return ncclscript.result
function comm:finalize(options) end
---@param options? ncclscript.label_options
---@return ncclscript.result
function comm:destroy(options) end
---@param options? ncclscript.label_options
---@return ncclscript.result
function comm:close(options) end
---@param options? ncclscript.label_options
---@return ncclscript.result
function comm:abort(options) end
---@param options? ncclscript.label_options
---@return string # the name of a result; not raised
function comm:async_error(options) end
---Polls until the communicator is not in progress; raises its error; false after the time.
---@param seconds? number
---@param options? ncclscript.label_options
---@return boolean
---@overload fun(self: ncclscript.comm, options: ncclscript.label_options): boolean
function comm:wait_ready(seconds, options) end

---@class ncclscript.premulsum
---@field dtype ncclscript.dtype
local op = {}
---@param options? ncclscript.label_options
---@return ncclscript.result
function op:destroy(options) end
---@param options? ncclscript.label_options
---@return ncclscript.result
function op:close(options) end

---@class ncclscript.window
---@field buffer ncclscript.buffer # of this rank
---@field ptr ncclscript.pointer
local window = {}
---@param options? ncclscript.label_options
---@return ncclscript.result
function window:deregister(options) end
---@param options? ncclscript.label_options
---@return ncclscript.result
function window:close(options) end

---@class ncclscript.registration
---@field buffer ncclscript.buffer
local registration = {}
---@param options? ncclscript.label_options
---@return ncclscript.result
function registration:deregister(options) end
---@param options? ncclscript.label_options
---@return ncclscript.result
function registration:close(options) end

-- ---- CUDA ----

---@alias ncclscript.memory "device" | "managed" | "nccl" | "pinned" | "pageable"

---@class ncclscript.cuda
---@field legacy_stream ncclscript.stream
---@field per_thread_stream ncclscript.stream
cuda = {}
---@param dtype ncclscript.dtype
---@param count integer
---@param options? { memory?: ncclscript.memory, device?: integer, stream?: ncclscript.stream, label?: string } # stream: allocated in its order
---@return ncclscript.buffer
function cuda.buffer(dtype, count, options) end
---@param options? { device?: integer, blocking?: boolean, priority?: integer, label?: string }
---@return ncclscript.stream
function cuda.stream(options) end
---@param options? { device?: integer, timing?: boolean, label?: string }
---@return ncclscript.event
function cuda.event(options) end
---@param options? ncclscript.label_options
---@return integer
function cuda.device(options) end
---@param device integer
---@param options? ncclscript.label_options
function cuda.set_device(device, options) end
---@param options? ncclscript.label_options
---@return integer
function cuda.device_count(options) end
---@param options? ncclscript.label_options
function cuda.sync(options) end
---@param options? ncclscript.label_options
---@return integer free
---@return integer total
function cuda.memory(options) end
---What a device is: C's fields of cudaDeviceProp in lower case, pci_bus_id and so on.
---@param device? integer # the current one by default
---@param options? ncclscript.label_options
---@return { name: string, total_global_mem: integer, major: integer, minor: integer, [string]: any }
---@overload fun(options: ncclscript.label_options): table<string, any>
function cuda.properties(device, options) end
---@param device integer
---@param peer integer
---@param options? ncclscript.label_options
---@return boolean
function cuda.can_access_peer(device, peer, options) end
---Kernels on the current device may use the peer's memory.
---@param peer integer
---@param options? ncclscript.label_options
function cuda.enable_peer(peer, options) end
---@param options? ncclscript.label_options
---@return string | nil # a name; the error is cleared
function cuda.last_error(options) end
---@param options? ncclscript.label_options
---@return integer
function cuda.runtime_version(options) end
---@param options? ncclscript.label_options
---@return integer
function cuda.driver_version(options) end

---@class ncclscript.pointer
---@operator add(integer): ncclscript.pointer
---@operator sub(integer): ncclscript.pointer

---@class ncclscript.buffer
---@field dtype ncclscript.dtype
---@field count integer
---@field bytes integer
---@field device integer
---@field memory ncclscript.memory
---@field ptr ncclscript.pointer
---@field [integer] number
---@operator len: integer
local buffer = {}
---@param value number | number[] | "random" | fun(i: integer): number
---@param options? { stream?: ncclscript.stream, label?: string }
---@return ncclscript.buffer self
function buffer:fill(value, options) end
---@param from ncclscript.buffer
---@param options? { stream?: ncclscript.stream, count?: integer, label?: string }
---@return ncclscript.buffer self
function buffer:copy_from(from, options) end
---Stands for a kernel: x[i] = x[i] + y[i] in the dtype.
---@param y ncclscript.buffer
---@param options? { stream?: ncclscript.stream, label?: string }
---@return ncclscript.buffer self
function buffer:add(y, options) end
---@param first? integer
---@param count? integer
---@param options? ncclscript.label_options
---@return number[]
---@overload fun(self: ncclscript.buffer, options: ncclscript.label_options): number[]
function buffer:get(first, count, options) end
---A view, to the end by default.
---@param first integer
---@param count? integer
---@return ncclscript.buffer
function buffer:slice(first, count) end
---A view: part k, from 0, of n equal ones (nranks by default).
---@param k integer
---@param n? integer
---@return ncclscript.buffer
function buffer:part(k, n) end
---Prints all elements, 8 to a line.
---@param options? ncclscript.label_options
---@return ncclscript.buffer self
function buffer:dump(options) end
---@param options? { stream?: ncclscript.stream, label?: string } # stream: freed in its order
---@return ncclscript.buffer self
function buffer:free(options) end
---@param options? { stream?: ncclscript.stream, label?: string }
---@return ncclscript.buffer self
function buffer:close(options) end

---@class ncclscript.stream
---@field device integer
local stream_methods = {}
---@param options? ncclscript.label_options
---@return ncclscript.stream self
function stream_methods:sync(options) end
---@param options? ncclscript.label_options
---@return boolean done
function stream_methods:query(options) end
---@param event ncclscript.event
---@param options? ncclscript.label_options
---@return ncclscript.stream self
function stream_methods:wait(event, options) end
---Stands for a kernel that takes so long.
---@param seconds number
---@param options? ncclscript.label_options
---@return ncclscript.stream self
function stream_methods:delay(seconds, options) end
---Runs fn at its place in the stream; what is behind it waits until fn returns. fn must not call CUDA
---or NCCL. The callbacks of a device run one after the other.
---@param fn fun()
---@param options? ncclscript.label_options
---@return ncclscript.stream self
function stream_methods:callback(fn, options) end
---@param options? ncclscript.label_options
---@return ncclscript.stream self
function stream_methods:destroy(options) end
---@param options? ncclscript.label_options
---@return ncclscript.stream self
function stream_methods:close(options) end

---@class ncclscript.event
local event = {}
---@param stream? ncclscript.stream
---@param options? ncclscript.label_options
---@return ncclscript.event self
---@overload fun(self: ncclscript.event, options: ncclscript.label_options): ncclscript.event
function event:record(stream, options) end
---@param options? ncclscript.label_options
---@return ncclscript.event self
function event:sync(options) end
---@param options? ncclscript.label_options
---@return boolean done
function event:query(options) end
---@param later ncclscript.event
---@param options? ncclscript.label_options
---@return number seconds
function event:elapsed(later, options) end
---@param options? ncclscript.label_options
---@return ncclscript.event self
function event:destroy(options) end
---@param options? ncclscript.label_options
---@return ncclscript.event self
function event:close(options) end

-- ---- what C has besides the functions of the API ----

---@class ncclscript.config

---Memory of the host, for &value.
---@param dtype ncclscript.dtype | integer # its name, or as C.ncclFloat32
---@param count? integer # 1 by default
---@return ncclscript.buffer
function C.host(dtype, count) end
---@param dtype ncclscript.dtype | integer
---@return integer bytes
function C.sizeof(dtype) end
---Raises the error of this thread's last call through C unless rc is 0; else returns the rest.
---@param rc integer
function C.check(rc, ...) end
---@param name string
---@return boolean
function C.has(name) end
---@param fields? table<string, integer | string | boolean> # by C's names
---@return ncclscript.config
function C.ncclConfig(fields) end
---@param fields? table<string, number> # by C's names
---@return ncclscript.ncclSimInfo
function C.ncclSimInfo(fields) end
