---@meta
-- The names that every scenario has, for editors. The table C is in ncclscript_c.d.lua.

---Data type of the elements. char is int8, int is int32; half, float and double are float16, float32 and float64.
---@alias ncclscript.dtype
---| "int8" | "uint8" | "int32" | "uint32" | "int64" | "uint64"
---| "float16" | "float32" | "float64" | "bfloat16" | "float8e4m3" | "float8e5m2"
---| "char" | "int" | "half" | "float" | "double"
---How a reduction combines the elements of the ranks. comm:premulsum makes an operator.
---@alias ncclscript.op "sum" | "prod" | "max" | "min" | "avg" | ncclscript.premulsum
---The value that a call returns. Only a non-blocking communicator returns "ncclInProgress". Other results are raised.
---@alias ncclscript.result "ncclSuccess" | "ncclInProgress"
---Kind of memory. "nccl" comes from ncclMemAlloc; "pinned" and "pageable" are memory of the host.
---@alias ncclscript.memory "device" | "managed" | "nccl" | "pinned" | "pageable"

---@class ncclscript.label_options
---@field label? string # name of the call in reports; it distinguishes similar calls

---The error that a call of NCCL or CUDA raises, or the wrong use of an object.
---@class ncclscript.error
---@field kind "nccl" | "cuda" | "usage" | "expect" | "scenario" # which library or part raised it
---@field code integer # code of NCCL or CUDA; 0 for the other kinds
---@field name string # "ncclInvalidArgument", "cudaErrorMemoryAllocation"; the kind itself for other kinds
---@field call? string # C name of the function
---@field rank integer # the rank that raised it
---@field comm? string # name of the communicator
---@field line integer # line of the scenario
---@field label? string # label of the call
---@field message string # the whole text
---@field detail? string # the text of ncclGetLastError

-- ---- the declaration ----

---@class ncclscript.outcome
---@field hang? true | { culprit?: integer | integer[], waiting?: integer | integer[] | "all" | "others", call?: integer, comm?: string, why?: string } # the run hangs
---@field error? string # this error ends a rank: "ncclInvalidArgument", or its kind: "nccl", "cuda", "usage", "expect", "lua"
---@field rank? integer # with error: the rank that the error ends
---@field call? string # with error: C name of the function
---@field wrong? true | { rank?: integer, call?: integer, comm?: string, first?: integer } # a result or an expectation is wrong
---@field lost? integer # faults stop every rank, and this rank is one of them
---@field pass? true # every rank ends and every check holds; needed only together with findings
---@field finding? string | { rule?: string, culprit?: integer | integer[], waiting?: integer | integer[] | "all" | "others", call?: integer, comm?: string, certainty?: "certain" | "luck" | "undefined" | "likely" } # a finding that the report must also contain
---@field findings? integer # number of findings with the level error

---@class ncclscript.run
---@field param table<string, any> # the parameters of the case
---@field nranks integer # number of ranks
---@field policy "strict" | "typical" # policy of the run
---@field driver string # "sim" or "nccl"
---@field nccl string # version of NCCL: "2.32.3"

---@class ncclscript.declaration
---@field about? string # one line of text for reports and lists
---@field ranks? integer | fun(param: table<string, any>): integer # number of ranks, 2 by default; or a function of the parameters
---@field devices? integer | integer[] | fun(param: table<string, any>): integer | integer[] # GPUs per host, 8 by default; or a list of numbers for host 0, host 1, ..., where the last number holds for all further hosts
---@field world? boolean | ncclscript.comm_config # false: there is no `world`; a table: its configuration
---@field params? table<string, number | string | boolean> # names and default values of `param.NAME`
---@field matrix? table<string, (number | string | boolean)[]> # lists of values for params, ranks and seed; each combination is a case
---@field exclude? table<string, number | string | boolean>[] # combinations to leave out; each names some values
---@field outcome? "pass" | ncclscript.outcome | fun(run: ncclscript.run): "pass" | ncclscript.outcome # how the run should end; "pass" by default
---@field bug? { entry: string, nccl?: string, thread?: string | string[] } # entry of the catalogue of bugs
---@field policy? "strict" | "typical" # when sends and destroys end; "strict" by default: no send is buffered
---@field verify? boolean # false: no result is verified
---@field needs? { driver?: string, nccl?: string, gpus?: integer } # requirements; the run is skipped if one is missing
---@field timeout? number | string # limit of real time: a number of seconds, or "30s"
---@field env? table<string | integer, string | table<string, string>> | fun(param: table<string, any>): table # NCCL_* and CUDA_* variables whose values are numbers, switches or names; they override the variables of the process; other variables need --unsafe; `[2] = { NCCL_PROTO = "LL" }` sets variables of rank 2 only
---@field sim? { nccl?: "2.26.2" | "2.27.3" | "2.27.5" | "2.28.9" | "2.29.2" | "2.29.7" | "2.30.3" | "2.30.4" | "2.30.7" | "2.31.2" | "2.32.3" | table<integer | "others", string>, memory?: integer | string, capability?: number | number[], eager?: integer | string, lanes?: integer, model?: "plain" | "hgx-a100" | "hgx-h100", ready_after?: integer, quirks?: boolean } | fun(param: table<string, any>): table # settings of the simulator; `nccl = { others = "2.30.7", [2] = "2.28.9" }` gives rank 2 another version; `capability = { 9.0, 8.0 }` is that of the first two GPUs of the machine, and the last of all behind

---Declares the run. It is the first statement of a scenario.
---    scenario { ranks = 4, params = { count = 1024 }, outcome = { hang = true } }
---@param declaration ncclscript.declaration
function scenario(declaration) end

-- ---- names of every scenario ----

---@type integer # number of this rank, from 0
rank = 0
---@type integer # number of ranks of the run
nranks = 0
---@type ncclscript.comm # the communicator of all ranks; nil if world = false
world = nil
---@type ncclscript.stream # the stream that calls use by default
stream = nil
---@type table<string, number | string | boolean> # parameters of the case
param = {}

---@class ncclscript.store
store = {}
---Sets a key. All ranks can read it.
---    store:set("id", nccl.unique_id())
---@param key string
---@param value any # text, number, boolean, id or a plain table of these
---@return ncclscript.store self
function store:set(key, value) end
---Waits until some rank has set the key, then returns the value of the key. Returns nil after the timeout.
---    local id = store:get("id")
---@param key string
---@param options? { timeout?: number, label?: string }
---@return any
function store:get(key, options) end
---Adds n to the number at the key and returns the sum. A key that is not set counts as 0.
---    local place = store:add("arrived", 1)
---@param key string
---@param n integer
---@return integer sum
function store:add(key, n) end

---Waits until all ranks have called barrier, then returns true. Returns false after the timeout.
---    barrier { timeout = 5 }
---@param options? { ranks?: integer[], timeout?: number, label?: string }
---@return boolean
function barrier(options) end

---@class ncclscript.thread
---@field done boolean # true when the function of the thread has returned
local thread = {}
---Waits for the thread. Returns the results of the function, or raises its error.
function thread:join() end

---Starts another thread of this rank.
---    local t = spawn(function() world:all_reduce(x) end)
---    t:join()
---@param fn function
---@return ncclscript.thread
function spawn(fn, ...) end

---The host waits for so many seconds of virtual time (real time on real NCCL).
---    sleep(0.5)
---@param seconds number
function sleep(seconds) end
---Returns the time since the start of the run.
---    local begin = clock()
---@return number seconds
function clock() end
---Ends the run as skipped.
---    skip("needs two hosts")
---@param reason? string
function skip(reason) end

-- ---- expect ----

---@class ncclscript.expect
expect = {}
---Checks a value, or every element of a buffer. A failure is recorded, and the script goes on.
---Without `tol`, a floating-point element may differ from `want` by one unit in the last place per rank, but at most by an eighth
---of it, or by two units where those are more. `tol` is an absolute difference; 0 asks for equal bits.
---`fatal` raises an error instead.
---    expect.equal(x, (nranks + 1) / 2)
---    expect.equal(x, function(i) return rank + i end, { tol = 1e-3 })
---@param got any
---@param want any # for a buffer: a value for all elements, a list, function(i), or a buffer
---@param options? { tol?: number, fatal?: boolean, label?: string }
---@return boolean
function expect.equal(got, want, options) end
---Checks that the condition is true.
---    expect.that(stream:query(), "the stream is done")
---@param condition any
---@param text? string
---@param options? { fatal?: boolean, label?: string }
---@return boolean
function expect.that(condition, text, options) end
---Checks that fn raises the error with this name. Returns the error.
---    expect.error("ncclInvalidArgument", function() world:send(x, 99) end)
---@param name string
---@param fn function
---@return any
function expect.error(name, fn, ...) end

-- ---- fault ----

---The time of a fault. Without fields the fault happens at once. The host runs ahead of the GPU: earlier work of the
---rank may not be done yet.
---@class ncclscript.when
---@field rank? integer # the rank that has the fault; other ranks skip the line
---@field comm? ncclscript.comm # communicator whose calls `call` counts, `world` by default; with func: any
---@field call? integer # the fault happens before this call of the rank on comm, from 1
---@field func? string # the fault happens before the rank uses this C function: "cudaMalloc"
---@field nth? integer # with func: before the nth use from here on; 1 by default
---@field label? string # name of the fault in reports

---@class ncclscript.when.seconds: ncclscript.when
---@field seconds number # how much later

---@class ncclscript.when.code: ncclscript.when
---@field code string|integer # "ncclSystemError"; for a CUDA function "cudaErrorMemoryAllocation"

---@class ncclscript.when.elements: ncclscript.when
---@field first? integer # the first wrong element, from 1; 1 by default
---@field count? integer # number of wrong elements; all elements after first by default

---@class ncclscript.when.link: ncclscript.when
---@field peer integer # rank of comm at the other end
---@field seconds? number # extra time of each transfer over the link; without seconds the link is cut

---Failures that a scenario causes. kill, stall, slow and fail work on both drivers. The others need the
---simulator: on real NCCL the run is skipped.
---@class ncclscript.fault
fault = {}
---The rank dies: all its threads, and the work that its GPU has not begun. Its neighbours on other hosts
---get the asynchronous error ncclRemoteError when they next communicate. No other rank is informed.
---    fault.kill { rank = 2, call = 5 }
---@param when? ncclscript.when
function fault.kill(when) end
---This thread stops forever. The rank stays alive.
---    fault.stall { rank = 1, call = 3 }
---@param when? ncclscript.when
function fault.stall(when) end
---The call is made so many seconds later.
---    fault.slow { rank = 1, call = 3, seconds = 0.5 }
---@param when ncclscript.when.seconds
function fault.slow(when) end
---The call is not made: it returns the code instead. Needs call or func.
---    fault.fail { rank = 0, func = "cudaMalloc", nth = 2, code = "cudaErrorMemoryAllocation" }
---@param when ncclscript.when.code
function fault.fail(when) end
---The call writes wrong data on this rank. A put writes wrong data into the window of its peer. Without
---call and func, the fault affects the next call that moves data. If the call does not write these
---elements, it raises an error.
---    fault.corrupt { rank = 3, call = 2, first = 5, count = 1 }
---@param when? ncclscript.when.elements
function fault.corrupt(when) end
---The link between this rank and the peer is slow or cut, for all communicators. Between hosts, both ends
---get the asynchronous error ncclRemoteError when they use the link.
---    fault.link { rank = 0, peer = 1 }
---@param when ncclscript.when.link
function fault.link(when) end
---ncclCommGetAsyncError of comm returns the code on this rank from then on.
---    fault.async_error { rank = 1, call = 2, code = "ncclRemoteError" }
---@param when ncclscript.when.code
function fault.async_error(when) end

-- ---- NCCL ----

---@class ncclscript.comm_config
---@field name? string # name of the communicator in reports
---@field blocking? boolean | integer # false: calls return "ncclInProgress" at once; see comm:wait_ready
---@field cga_cluster_size? integer # NCCL's cgaClusterSize
---@field min_ctas? integer # NCCL's minCTAs
---@field max_ctas? integer # NCCL's maxCTAs
---@field net_name? string # NCCL's netName
---@field split_share? boolean | integer # children share resources with the communicator
---@field traffic_class? integer # NCCL's trafficClass
---@field comm_name? string # NCCL's commName
---@field collnet_enable? boolean | integer # NCCL's collnetEnable
---@field cta_policy? integer # NCCL's CTAPolicy: 0 default, 1 efficiency, 2 none
---@field shrink_share? boolean | integer # children of a shrink share resources with the communicator
---@field nvls_ctas? integer # NCCL's nvlsCTAs
---@field n_channels_per_net_peer? integer # NCCL's nChannelsPerNetPeer
---@field nvlink_centric_sched? boolean | integer # NCCL's nvlinkCentricSched
---@field graph_usage_mode? integer # NCCL's graphUsageMode
---@field num_rma_ctx? integer # NCCL's numRmaCtx
---@field max_p2p_peers? integer # NCCL's maxP2pPeers
---@field graph_stream_ordering? boolean | integer # NCCL's graphStreamOrdering
---@field launch_order_implicit? boolean | integer # NCCL's launchOrderImplicit
---@field num_rma_sig? integer # NCCL's numRmaSig
---@field rma_eager_init? boolean | integer # NCCL's rmaEagerInit
---@field host_cft_mode? integer # NCCL's hostCftMode
---@field nvls_host_mode? integer # NCCL's nvlsHostMode
---@field label? string # label of the call

---@class ncclscript.split_options: ncclscript.comm_config
---@field color integer # ranks of one color become one communicator; nccl.NOCOLOR: no communicator for this rank
---@field key? integer # order of the new ranks; ranks with equal keys keep their old order; 0 by default
---@class ncclscript.shrink_options: ncclscript.comm_config
---@field abort? boolean # cut short the work of the old communicator
---@class ncclscript.grow_options: ncclscript.comm_config
---@field id? ncclscript.id # the id of comm:unique_id(), on the rank that made the id

---@class ncclscript.nccl
---@field NOCOLOR integer # -1: comm:split makes no communicator for this rank
nccl = {}
---Makes an id for a new communicator. One rank makes the id and sends it to the others. Given bytes, it makes no new
---id: it returns the id whose 128 bytes id:bytes() has returned in this run. Other bytes need --unsafe.
---    local id = nccl.unique_id(store:get("bytes of the id"))
---@param options? string | ncclscript.label_options # the bytes of an id, or options
---@return ncclscript.id
function nccl.unique_id(options) end
---Joins a communicator. Returns when all ranks have joined.
---    local comm = nccl.init_rank(nranks, store:get("id"), rank, { name = "data" })
---@param nranks integer
---@param id ncclscript.id | ncclscript.id[] # one id; or a list of ids that share the work, equal on every rank
---@param rank integer
---@param config? ncclscript.comm_config
---@return ncclscript.comm
function nccl.init_rank(nranks, id, rank, config) end
---Joins a growing communicator as a new rank.
---@param nranks integer # number of ranks of the new communicator
---@param id ncclscript.id # the id of comm:unique_id() on an old rank
---@param rank integer # number of this rank, from the old size to nranks - 1
---@param config? ncclscript.comm_config
---@return ncclscript.comm
function nccl.grow(nranks, id, rank, config) end
---Makes communicators for several devices of this thread.
---    local comms = nccl.init_all { 0, 1 }
---@param devices integer | integer[]
---@param options? { name?: string, label?: string }
---@return ncclscript.comm[] # comms[1].rank == 0
function nccl.init_all(devices, options) end
---Calls fn between group start and group end. Returns the results of fn, or "ncclInProgress".
---    nccl.group(function()
---      world:send(x, 1 - rank)
---      world:recv(y, 1 - rank)
---    end)
---@param label string
---@param fn function
---@overload fun(fn: function): any
function nccl.group(label, fn) end
---Calls fn between group start and a group end that only estimates the time. Calls on blocking communicators are
---not started.
---    local seconds = nccl.simulate(function() world:all_reduce(x) end)
---@param label string
---@param fn function
---@return number? seconds # estimate for the last collective; nil without a collective
---@overload fun(fn: function): number?
function nccl.simulate(label, fn) end
---Returns the version of NCCL.
---@param options? ncclscript.label_options
---@return integer code # 23203
---@return string text # "2.32.3"
function nccl.version(options) end
---Returns NCCL's text for a result.
---    print(nccl.error_string("ncclRemoteError"))
---@param result string | integer
---@param options? ncclscript.label_options
---@return string
function nccl.error_string(result, options) end
---Returns NCCL's message for the last error.
---@param options? ncclscript.label_options
---@return string
function nccl.last_error(options) end
---Returns the value that NCCL uses for an environment variable: the value of the variable, or the default.
---    print(nccl.param("NCCL_MAX_CTAS"))
---@param key string # "NCCL_MAX_CTAS"
---@param options? ncclscript.label_options
---@return string
function nccl.param(key, options) end
---Returns all parameters of NCCL with their values.
---@param options? ncclscript.label_options
---@return table<string, string>
function nccl.params(options) end

---@class ncclscript.id
local id = {}
---Returns the 128 bytes of the id, as ncclUniqueId in C. nccl.unique_id makes an id of them again.
---    store:set("bytes of the id", nccl.unique_id():bytes())
---@return string
function id:bytes() end

---@class ncclscript.call_options
---@field count? integer # number of elements; by default the count of the smaller buffer
---@field stream? ncclscript.stream # stream of the call; `comm.stream` by default
---@field label? string # name of the call in reports; it distinguishes similar calls
---@field verify? boolean # false: the result is not verified
---@class ncclscript.op_options: ncclscript.call_options
---@field op? ncclscript.op # "sum" by default
---@class ncclscript.root_options: ncclscript.call_options
---@field root? integer # a rank of the communicator, 0 by default; other numbers are an error
---@class ncclscript.reduce_options: ncclscript.op_options
---@field root? integer # a rank of the communicator, 0 by default; other numbers are an error
---@class ncclscript.peer_options: ncclscript.call_options
---@field peer? integer # a rank of the communicator; other numbers are an error

---@class ncclscript.comm
---@field rank integer # this rank's number in the communicator, from 0
---@field nranks integer # number of ranks of the communicator
---@field device integer # device of this rank, numbered on its host
---@field name string # name in reports
---@field stream ncclscript.stream # stream of calls that name no stream; can be assigned
---@field state "ready" | "pending" | "error" | "finalized" | "revoked" | "aborted" | "destroyed" # state of the handle
---@field interrupted boolean # true after abort, revoke, or shrink with abort: they cut the work short
local comm = {}
---Combines the elements of all ranks. Every rank gets the result. With one buffer the call is in place.
---    world:all_reduce(x)
---    world:all_reduce(x, y, { op = "max", count = 8, stream = s, label = "gradients" })
---@param send ncclscript.buffer
---@param recv? ncclscript.buffer
---@param options? ncclscript.op_options
---@return ncclscript.result
---@overload fun(self: ncclscript.comm, buffer: ncclscript.buffer, options: ncclscript.op_options): ncclscript.result
function comm:all_reduce(send, recv, options) end
---Copies the elements of the root to all ranks.
---    world:broadcast(x, { root = 1 })
---@param send ncclscript.buffer | nil # nil on ranks other than the root
---@param recv? ncclscript.buffer
---@param options? ncclscript.root_options
---@return ncclscript.result
---@overload fun(self: ncclscript.comm, buffer: ncclscript.buffer, options: ncclscript.root_options): ncclscript.result
function comm:broadcast(send, recv, options) end
---Combines the elements of all ranks. The root gets the result.
---    world:reduce(x, { root = 0, op = "sum" })
---@param send ncclscript.buffer
---@param recv? ncclscript.buffer # nil on ranks other than the root
---@param options? ncclscript.reduce_options
---@return ncclscript.result
---@overload fun(self: ncclscript.comm, buffer: ncclscript.buffer, options: ncclscript.reduce_options): ncclscript.result
function comm:reduce(send, recv, options) end
---Every rank gets the blocks of all ranks, in the order of the ranks. With one buffer the call is in place: the
---rank sends its own part.
---    world:all_gather(x, all)
---@param send ncclscript.buffer
---@param recv? ncclscript.buffer
---@param options? ncclscript.call_options
---@return ncclscript.result
---@overload fun(self: ncclscript.comm, recv: ncclscript.buffer, options: ncclscript.call_options): ncclscript.result
function comm:all_gather(send, recv, options) end
---Combines the elements of all ranks. Each rank gets its own block of the result. With one buffer the call is in
---place: the result replaces the rank's own part.
---    world:reduce_scatter(all, x)
---@param send ncclscript.buffer
---@param recv? ncclscript.buffer
---@param options? ncclscript.op_options
---@return ncclscript.result
---@overload fun(self: ncclscript.comm, send: ncclscript.buffer, options: ncclscript.op_options): ncclscript.result
function comm:reduce_scatter(send, recv, options) end
---Block p of rank r becomes block r of rank p. count is the size of one block. The call cannot be in place.
---    world:all_to_all(x, y)
---@param send ncclscript.buffer
---@param recv ncclscript.buffer
---@param options? ncclscript.call_options
---@return ncclscript.result
function comm:all_to_all(send, recv, options) end
---The root gets the blocks of all ranks.
---    world:gather(x, rank == 0 and all or nil)
---@param send ncclscript.buffer
---@param recv? ncclscript.buffer # on the root nranks blocks; nil on other ranks
---@param options? ncclscript.root_options
---@return ncclscript.result
---@overload fun(self: ncclscript.comm, send: ncclscript.buffer, options: ncclscript.root_options): ncclscript.result
function comm:gather(send, recv, options) end
---Each rank gets its block of the root's buffer.
---    world:scatter(rank == 0 and all or nil, x)
---@param send ncclscript.buffer | nil # on the root nranks blocks; nil on other ranks
---@param recv ncclscript.buffer
---@param options? ncclscript.root_options
---@return ncclscript.result
function comm:scatter(send, recv, options) end
---Writes a buffer into a peer's window and signals the peer. The buffer must be in a symmetric window.
---    world:put_signal(x, 1 - rank, win, { first = 1 })
---@param buffer ncclscript.buffer
---@param peer integer # a rank of the communicator
---@param window ncclscript.window
---@param options? { first?: integer, count?: integer, sig_idx?: integer, ctx?: integer, flags?: integer, stream?: ncclscript.stream, verify?: boolean, label?: string }
---@return ncclscript.result
function comm:put_signal(buffer, peer, window, options) end
---Sends a signal to a peer.
---    world:signal(1)
---@param peer integer # a rank of the communicator
---@param options? { sig_idx?: integer, ctx?: integer, flags?: integer, stream?: ncclscript.stream, label?: string }
---@return ncclscript.result
function comm:signal(peer, options) end
---The stream waits for signals: op_cnt signals from each peer, 1 by default.
---    world:wait_signal(0, { op_cnt = 2 })
---@param peers integer | (integer | { peer: integer, op_cnt?: integer, sig_idx?: integer, ctx?: integer })[]
---@param options? { op_cnt?: integer, sig_idx?: integer, ctx?: integer, stream?: ncclscript.stream, label?: string }
---@return ncclscript.result
function comm:wait_signal(peers, options) end
---Makes a window of a buffer. All ranks call it. The buffer must have memory = "nccl".
---    local win = world:window(x, { symmetric = true })
---@param buffer ncclscript.buffer
---@param options? { symmetric?: boolean, strict_ordering?: boolean, label?: string }
---@return ncclscript.window # nil if NCCL has no windows
function comm:window(buffer, options) end
---Registers a buffer. NCCL then uses the buffer without a copy.
---    local handle = world:register(x)
---@param buffer ncclscript.buffer
---@param options? ncclscript.label_options
---@return ncclscript.registration
function comm:register(buffer, options) end
---Sends a buffer to a peer.
---    world:send(x, 1)
---@param buffer ncclscript.buffer
---@param peer integer # a rank of the communicator
---@param options? ncclscript.peer_options
---@return ncclscript.result
---@overload fun(self: ncclscript.comm, buffer: ncclscript.buffer, options: ncclscript.peer_options): ncclscript.result
function comm:send(buffer, peer, options) end
---Receives into a buffer from a peer.
---    world:recv(x, 0)
---@param buffer ncclscript.buffer
---@param peer integer # a rank of the communicator
---@param options? ncclscript.peer_options
---@return ncclscript.result
---@overload fun(self: ncclscript.comm, buffer: ncclscript.buffer, options: ncclscript.peer_options): ncclscript.result
function comm:recv(buffer, peer, options) end
---Makes a pre-mul-sum operator: each rank multiplies its elements by its scalar, then NCCL sums the products.
---    local mean = world:premulsum("float32", 1 / nranks)
---@param dtype ncclscript.dtype
---@param scalar number | ncclscript.buffer # a number, which the operator keeps; or a buffer, which each call reads when it runs
---@param options? ncclscript.label_options
---@return ncclscript.premulsum
function comm:premulsum(dtype, scalar, options) end
---Every rank calls it. Ranks with the same color become a communicator. If the parent is non-blocking, the result is
---pending until the parent is ready again.
---    local pair = world:split { color = rank // 2, name = "pair" }
---@param options ncclscript.split_options
---@return ncclscript.comm? # nil for nccl.NOCOLOR
function comm:split(options) end
---Makes a communicator without the listed ranks. Only the remaining ranks call it.
---    if rank ~= 2 then small = world:shrink { 2 } end
---@param ranks integer[] # ranks to leave out
---@param options? ncclscript.shrink_options
---@return ncclscript.comm
function comm:shrink(ranks, options) end
---Makes an id for new ranks to join with. One rank makes the id. The id is good for one growth.
---@param options? ncclscript.label_options
---@return ncclscript.id
function comm:unique_id(options) end
---Every old rank calls it. The old ranks keep their numbers.
---@param nranks integer # number of ranks of the new communicator
---@param options? ncclscript.grow_options
---@return ncclscript.comm
function comm:grow(nranks, options) end
---Cuts this rank's work short. Afterwards only split, shrink, destroy and abort are possible.
---@param options? { flags?: integer, label?: string }
---@return ncclscript.result
function comm:revoke(options) end
---Gives device memory back. Every rank calls it.
---@param options? { flags?: integer, label?: string }
---@return ncclscript.result
function comm:suspend(options) end
---Takes back the device memory that suspend gave away. Every rank calls it.
---@param options? ncclscript.label_options
---@return ncclscript.result
function comm:resume(options) end
---Returns bytes of device memory, and suspended = 1 while they are given back. The simulator's figures differ from NCCL's.
---@param options? ncclscript.label_options
---@return { suspend: integer, suspended: integer, persist: integer, total: integer }
function comm:mem_stats(options) end
---Completes this rank's work on the communicator and closes its connections. It does not wait until other ranks finalize.
---@param options? ncclscript.label_options
---@return ncclscript.result
function comm:finalize(options) end
---Completes this rank's work and frees the communicator. Waits until the other ranks of the host have ended the communicator, too.
---@param options? ncclscript.label_options
---@return ncclscript.result
function comm:destroy(options) end
---Destroys the communicator unless it is destroyed already. For `local comm <close> = ...`.
---@param options? ncclscript.label_options
---@return ncclscript.result
function comm:close(options) end
---Cuts this rank's work short and frees the communicator. Other ranks are not informed.
---@param options? ncclscript.label_options
---@return ncclscript.result
function comm:abort(options) end
---Returns the state of the communicator: "ncclSuccess", "ncclInProgress" or an error. The error is not raised.
---@param options? ncclscript.label_options
---@return string # the name of a result
function comm:async_error(options) end
---Polls until the communicator is ready, then returns true. Returns false after so many seconds. Raises the
---communicator's error.
---    comm:wait_ready(10)
---@param seconds? number
---@param options? ncclscript.label_options
---@return boolean
---@overload fun(self: ncclscript.comm, options: ncclscript.label_options): boolean
function comm:wait_ready(seconds, options) end

---@class ncclscript.premulsum
---@field dtype ncclscript.dtype # data type of the elements
local op = {}
---Frees the operator.
---@param options? ncclscript.label_options
---@return ncclscript.result
function op:destroy(options) end
---Destroys the operator unless it is destroyed already.
---@param options? ncclscript.label_options
---@return ncclscript.result
function op:close(options) end

---@class ncclscript.window
---@field buffer ncclscript.buffer # buffer of this rank
---@field ptr ncclscript.pointer # address of the window
local window = {}
---Ends the window. All ranks call it.
---@param options? ncclscript.label_options
---@return ncclscript.result
function window:deregister(options) end
---Deregisters the window unless it is deregistered already.
---@param options? ncclscript.label_options
---@return ncclscript.result
function window:close(options) end

---@class ncclscript.registration
---@field buffer ncclscript.buffer # the registered buffer
local registration = {}
---Ends the registration.
---@param options? ncclscript.label_options
---@return ncclscript.result
function registration:deregister(options) end
---Ends the registration unless it has ended already.
---@param options? ncclscript.label_options
---@return ncclscript.result
function registration:close(options) end

-- ---- CUDA ----

---@class ncclscript.cuda
---@field legacy_stream ncclscript.stream # the default stream of CUDA
---@field per_thread_stream ncclscript.stream # the default stream of the thread
cuda = {}
---Allocates memory for count elements.
---    local x = cuda.buffer("float32", 1024):fill(rank)
---    local w = cuda.buffer("int8", 64, { memory = "nccl" })
---@param dtype ncclscript.dtype
---@param count integer
---@param options? { memory?: ncclscript.memory, device?: integer, stream?: ncclscript.stream, label?: string } # stream: allocate in the order of this stream
---@return ncclscript.buffer
function cuda.buffer(dtype, count, options) end
---Makes a stream.
---    local side = cuda.stream { blocking = false }
---@param options? { device?: integer, blocking?: boolean, priority?: integer, label?: string }
---@return ncclscript.stream
function cuda.stream(options) end
---Makes an event.
---    local e = cuda.event():record(side)
---@param options? { device?: integer, timing?: boolean, label?: string }
---@return ncclscript.event
function cuda.event(options) end
---Captures what fn puts into the stream: none of it runs, it becomes a graph. A stream that waits for an event of the
---captured stream is captured too, and must be joined before fn ends. Meanwhile calls that may wait are errors; mode says
---on which threads: "global" (the default), "thread_local" or "relaxed" (nowhere). Needs the simulator: on real NCCL the run is
---skipped.
---    local g = cuda.graph(stream, function() comm:all_reduce(x) end)
---@param stream ncclscript.stream
---@param fn fun()
---@param options? { mode?: string, label?: string }
---@return ncclscript.graph
function cuda.graph(stream, fn, options) end
---Returns the current device.
---@param options? ncclscript.label_options
---@return integer
function cuda.device(options) end
---Makes a device current for this thread.
---@param device integer
---@param options? ncclscript.label_options
function cuda.set_device(device, options) end
---Returns the number of devices on this host.
---@param options? ncclscript.label_options
---@return integer
function cuda.device_count(options) end
---Waits for all work of the current device.
---@param options? ncclscript.label_options
function cuda.sync(options) end
---Returns the free and total bytes of memory on the current device.
---@param options? ncclscript.label_options
---@return integer free
---@return integer total
function cuda.memory(options) end
---Describes a device. The fields are those of cudaDeviceProp, in lower case: pci_bus_id and so on.
---@param device? integer # the current device by default
---@param options? ncclscript.label_options
---@return { name: string, total_global_mem: integer, major: integer, minor: integer, [string]: any }
---@overload fun(options: ncclscript.label_options): table<string, any>
function cuda.properties(device, options) end
---Returns true if kernels on the device can use the memory of the peer.
---@param device integer
---@param peer integer
---@param options? ncclscript.label_options
---@return boolean
function cuda.can_access_peer(device, peer, options) end
---Lets kernels on the current device use the peer's memory.
---@param peer integer
---@param options? ncclscript.label_options
function cuda.enable_peer(peer, options) end
---Returns the name of the last error of this thread and clears the error. Returns nil if there is no error.
---@param options? ncclscript.label_options
---@return string | nil
function cuda.last_error(options) end
---Returns the version of the CUDA runtime: 13000.
---@param options? ncclscript.label_options
---@return integer
function cuda.runtime_version(options) end
---Returns the version of CUDA that the driver supports.
---@param options? ncclscript.label_options
---@return integer
function cuda.driver_version(options) end

---@class ncclscript.pointer
---@operator add(integer): ncclscript.pointer
---@operator sub(integer): ncclscript.pointer

---@class ncclscript.buffer
---@field dtype ncclscript.dtype # type of the elements
---@field count integer # number of elements
---@field bytes integer # size
---@field device integer # device of the memory
---@field memory ncclscript.memory # kind of memory
---@field ptr ncclscript.pointer # address
---@field [integer] number # one element, from 1; reading waits for the legacy stream, and so for blocking streams only: call stream:sync() first
---@operator len: integer
local buffer = {}
---Sets the elements: to one value, a list, random numbers, or a function of the element number. A graph can only contain a fill whose value has equal bytes, such as 0. Without a stream it runs in the legacy stream and waits for its end; non-blocking streams such as `stream` are not waited for.
---    x:fill(function(i) return rank + i end)
---@param value number | number[] | "random" | fun(i: integer): number
---@param options? { stream?: ncclscript.stream, label?: string }
---@return ncclscript.buffer self
function buffer:fill(value, options) end
---Copies the elements of another buffer. Without a stream as fill: in the legacy stream, and it waits for its end.
---    y:copy_from(x, { stream = side })
---@param from ncclscript.buffer
---@param options? { stream?: ncclscript.stream, count?: integer, label?: string }
---@return ncclscript.buffer self
function buffer:copy_from(from, options) end
---Adds another buffer: x[i] = x[i] + y[i], in the data type of x. Used in place of a kernel. Without a stream as fill: in the legacy stream, and it waits for its end.
---@param y ncclscript.buffer
---@param options? { stream?: ncclscript.stream, label?: string }
---@return ncclscript.buffer self
function buffer:add(y, options) end
---Returns the elements as a list. Waits for the legacy stream, and so for blocking streams only: call stream:sync() first.
---@param first? integer
---@param count? integer
---@param options? ncclscript.label_options
---@return number[]
---@overload fun(self: ncclscript.buffer, options: ncclscript.label_options): number[]
function buffer:get(first, count, options) end
---Returns a view of part of the buffer; by default to the end of the buffer.
---    x:slice(5, 4)
---@param first integer
---@param count? integer
---@return ncclscript.buffer
function buffer:slice(first, count) end
---Returns a view of one part: part k, from 0, of n equal parts (nranks by default).
---    all:part(rank)
---@param k integer
---@param n? integer
---@return ncclscript.buffer
function buffer:part(k, n) end
---Prints all elements, 8 on each line.
---@param options? ncclscript.label_options
---@return ncclscript.buffer self
function buffer:dump(options) end
---Frees the memory.
---@param options? { stream?: ncclscript.stream, label?: string } # stream: free in the order of this stream
---@return ncclscript.buffer self
function buffer:free(options) end
---Frees the memory unless it is freed already.
---@param options? { stream?: ncclscript.stream, label?: string }
---@return ncclscript.buffer self
function buffer:close(options) end

---@class ncclscript.stream
---@field device integer # device of the stream
local stream_methods = {}
---Waits until all work in the stream is done.
---    stream:sync()
---@param options? ncclscript.label_options
---@return ncclscript.stream self
function stream_methods:sync(options) end
---Returns true if all work in the stream is done.
---@param options? ncclscript.label_options
---@return boolean done
function stream_methods:query(options) end
---Makes later work in the stream wait for the event.
---    stream:wait(e)
---@param event ncclscript.event
---@param options? ncclscript.label_options
---@return ncclscript.stream self
function stream_methods:wait(event, options) end
---Occupies the stream for so many seconds, as a kernel does.
---    stream:delay(1e-3)
---@param seconds number
---@param options? ncclscript.label_options
---@return ncclscript.stream self
function stream_methods:delay(seconds, options) end
---Calls fn after all earlier work in the stream. Later work in the stream waits until fn returns. fn must not call
---CUDA or NCCL. The callbacks of a device run one after the other.
---@param fn fun()
---@param options? ncclscript.label_options
---@return ncclscript.stream self
function stream_methods:callback(fn, options) end
---Frees the stream.
---@param options? ncclscript.label_options
---@return ncclscript.stream self
function stream_methods:destroy(options) end
---Destroys the stream unless it is destroyed already.
---@param options? ncclscript.label_options
---@return ncclscript.stream self
function stream_methods:close(options) end

---@class ncclscript.event
local event = {}
---Marks all work that is in the stream now.
---    e:record(side)
---@param stream? ncclscript.stream
---@param options? ncclscript.label_options
---@return ncclscript.event self
---@overload fun(self: ncclscript.event, options: ncclscript.label_options): ncclscript.event
function event:record(stream, options) end
---Waits until the marked work is done.
---@param options? ncclscript.label_options
---@return ncclscript.event self
function event:sync(options) end
---Returns true if the marked work is done.
---@param options? ncclscript.label_options
---@return boolean done
function event:query(options) end
---Returns the time between two events.
---@param later ncclscript.event
---@param options? ncclscript.label_options
---@return number seconds
function event:elapsed(later, options) end
---Frees the event.
---@param options? ncclscript.label_options
---@return ncclscript.event self
function event:destroy(options) end
---Destroys the event unless it is destroyed already.
---@param options? ncclscript.label_options
---@return ncclscript.event self
function event:close(options) end

---@class ncclscript.graph
local graph = {}
---Runs everything in the graph, in the order of the stream. It follows the last launch of the same graph.
---    g:launch(stream)
---@param stream? ncclscript.stream
---@param options? ncclscript.label_options
---@return ncclscript.graph self
---@overload fun(self: ncclscript.graph, options: ncclscript.label_options): ncclscript.graph
function graph:launch(stream, options) end
---Frees the graph. A launch that runs goes on.
---@param options? ncclscript.label_options
---@return ncclscript.graph self
function graph:destroy(options) end
---Destroys the graph unless it is destroyed already.
---@param options? ncclscript.label_options
---@return ncclscript.graph self
function graph:close(options) end

-- ---- further names in C ----

---@class ncclscript.config

---Allocates memory of the host, for arguments of type pointer.
---    local scalar = C.host("float32", 1):fill(0.5)
---@param dtype ncclscript.dtype | integer # a name, or a number such as C.ncclFloat32
---@param count? integer # 1 by default
---@return ncclscript.buffer
function C.host(dtype, count) end
---Returns the bytes of one element.
---@param dtype ncclscript.dtype | integer
---@return integer bytes
function C.sizeof(dtype) end
---Raises the error of this thread's last call through C if rc is not 0. Otherwise returns the other arguments.
---    local comm = C.check(C.ncclCommSplit(world, 0, rank, nil))
---@param rc integer
function C.check(rc, ...) end
---Returns true if the library has this function.
---    if C.has("ncclAlltoAll") then ... end
---@param name string
---@return boolean
function C.has(name) end
---Makes a configuration. The fields have the names of C.
---    C.ncclConfig { blocking = 0 }
---@param fields? table<string, integer | string | boolean> # fields by the names of C
---@return ncclscript.config
function C.ncclConfig(fields) end
---Makes the structure that ncclGroupSimulateEnd writes to.
---@param fields? table<string, number> # fields by the names of C
---@return ncclscript.ncclSimInfo
function C.ncclSimInfo(fields) end
