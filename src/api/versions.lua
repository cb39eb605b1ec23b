-- The versions of NCCL that the simulator can be, and how they differ in what a caller can see. The only
-- list of it: gen.lua writes gen/versions.h, which api, sim and shim read, and the tables of docs/versions.md
-- and `ncclscript explain versions`. Functions have their version in api.lua.

local versions = { differences = {}, fields = {}, variables = {} }

-- Oldest first; the newest is the last.
versions.profiles = { "2.26.2", "2.27.3", "2.27.5", "2.28.9", "2.29.2", "2.29.7", "2.30.3", "2.30.4", "2.30.7",
  "2.31.2", "2.32.3" }

-- The profile that holds where none is asked for.
versions.default = "2.32.3"

-- A difference that the simulator's code asks for as sim_version_does(DOES_<name>): name, the version that
-- brought it, what holds since then, and what held before. source: where the fact is from. A binary of NVIDIA's
-- counts as read when no source of its version is public.
local function difference(entry)
  entry.name, entry.since, entry.text, entry.before = table.unpack(entry, 1, 4)
  versions.differences[#versions.differences + 1] = entry
end

difference { "NAME_NO_NETWORK", "2.27.3", "an unknown NCCL_NET: \"Failed to initialize any NET plugin\"",
  "\"Error: network NAME not found.\"", source = "src/plugin/net.cc of 2.26.2 and 2.27.3" }
difference { "CTA_POLICY_ZERO", "2.28.3", "CTAPolicy may be 2: no CTAs", "0 and 1 only",
  source = "src/init.cc of 2.27.5 and 2.28.3" }
difference { "LEAVE_WINDOW", "2.28.3", "ncclCommWindowRegister of NULL or of 0 bytes leaves the window as it was",
  "it sets the window to NULL", source = "src/register/register.cc of 2.27.5, src/dev_runtime.cc of 2.28.3" }
difference { "ALIGN_WINDOW", "2.28.3", "ncclCommWindowRegister refuses a start that is not a multiple of 4096 with 4",
  "it takes any start", source = "src/register/register.cc of 2.27.5, src/dev_runtime.cc of 2.28.3" }
difference { "END_NO_WINDOW", "2.28.3", "ncclCommWindowDeregister of NULL looks at nothing and succeeds",
  "it asks CUDA for the device first", source = "measured on 2.27.3, 2.27.5 and 2.28.9" }
difference { "CTA_POLICY_BOTH", "2.29.2", "CTAPolicy may be 3: both bits", "3 is refused",
  source = "src/init.cc of 2.29.2" }
difference { "WINDOW_SWITCH", "2.29.2", "NCCL_WIN_ENABLE=0: ncclCommWindowRegister gives NULL",
  "2.28 does with NCCL_LOCAL_REGISTER=0 as well, 2.27 with NCCL_LOCAL_REGISTER=0 alone",
  source = "src/register/register.cc of 2.27.5, src/dev_runtime.cc of 2.28.9 and 2.29.2" }
difference { "CHECK_WINDOW", "2.29.2", "window calls check communicator, out-parameter, buffer and size first",
  "they crash, or return 0", source = "src/dev_runtime.cc of 2.29.2; measured on 2.28.9 and 2.30.7" }
difference { "NAME_OS_SOCKET", "2.29.2", "refused connections: \"ncclOsSocketStartConnect: ...\"",
  "\"socketStartConnect: ...\"", source = "src/misc/socket.cc of 2.28.9, src/os/linux.cc of 2.29.2" }
difference { "COUNT_CHILDREN", "2.29.2", "the log of a split says childCount", "it says splitCount",
  source = "src/init.cc of 2.29.2" }
difference { "CHECK_MODE", "2.29.7", "NCCL_CHECK_MODE exists, and wins over NCCL_CHECK_POINTERS",
  "NCCL_CHECK_POINTERS only", source = "src/init.cc of 2.29.7" }
difference { "CLEAR_CUDA_ERROR", "2.29.7", "a call that fails with 1 leaves no last error of CUDA behind",
  "it leaves the error", source = "src/include/checks.h of 2.29.7; 2.28.9" }
difference { "TIMEOUT_TEXT", "2.30.3", "ncclTimeout (8) is a result code with a text", "8 is unknown",
  source = "measured on 2.28.9 and 2.30.7" }
difference { "SHARE_GPU", "2.30.3", "NCCL_MULTI_RANK_GPU_ENABLE=1 lets ranks share a GPU",
  "ranks that share a GPU get 5", source = "src/init.cc of 2.30.3" }
difference { "REFUSE_HOST_REGISTER", "2.30.3", "ncclCommRegister of memory that is not CUDA's: 1", "it succeeds",
  source = "src/register/register.cc of 2.30.3" }
difference { "LOG_DESTROY", "2.30.3", "the end of a communicator is logged in a subsystem of its own", "in INIT",
  source = "src/init.cc of 2.30.3" }
difference { "CHECK_ALL_GPUS", "2.30.7", "every rank refuses a communicator in which any two ranks share a GPU",
  "the ranks that share it do", source = "src/init.cc of 2.30.7" }
difference { "CUT_WINDOW_TEXT", "2.30.7", "a bad window buffer: \"invalid pointer ... / size ...\"",
  "the text begins with the function's name", source = "src/dev_runtime.cc of 2.30.7" }
difference { "SPELL_INVALID", "2.31.2", "a bad graphUsageMode: \"Invalid config ...\"", "\"Invalig config ...\"",
  source = "texts in the libraries 2.30.7 and 2.31.2" }
difference { "MIN_ALONE", "2.31.2", "minCTAs without maxCTAs is accepted", "it is refused with 4",
  source = "the check in the libraries 2.31.2 and 2.32.3; src/init.cc of 2.30.7" }
difference { "RMA_RANGE", "2.31.2", "sigIdx and ctx of a one-sided call must be below numRmaSig and numRmaCtx",
  "they must be 0", source = "texts in the libraries 2.30.7 and 2.31.2" }
difference { "LOG_COMM_ID", "2.31.2", "the log of splits, revocations and ends has a commId", "it has none",
  source = "texts in the libraries 2.30.7 and 2.31.2" }
difference { "CONFIG_MAGIC_FIRST", "2.32.3", "a nccl*Config call checks the magic of its configuration",
  "it checks the size first: at least 64", source = "measured on 2.31.2 and 2.32.3" }

-- A field of ncclConfig_t: name, the version that brought it, and `header` where a program's header must be newer than
-- another version for the library to read the field (src/init.cc, parseCommConfig; for 2.31 and 2.32 the library itself).
local function field(name, since, header)
  versions.fields[#versions.fields + 1] = { name = name, since = since, header = header or since }
end

field("blocking", "2.14.3", "2.14.0")
field("cgaClusterSize", "2.17.1", "2.17.0")
field("minCTAs", "2.17.1", "2.17.0")
field("maxCTAs", "2.17.1", "2.17.0")
field("netName", "2.17.1", "2.17.0")
field("splitShare", "2.18.1", "2.18.0")
field("trafficClass", "2.26.2", "2.25.0")
field("commName", "2.27.3", "2.27.0")
field("collnetEnable", "2.27.3", "2.27.0")
field("CTAPolicy", "2.27.3", "2.27.0")
field("shrinkShare", "2.27.3", "2.27.0")
field("nvlsCTAs", "2.27.3", "2.27.0")
field("nChannelsPerNetPeer", "2.28.3", "2.28.0")
field("nvlinkCentricSched", "2.28.3", "2.28.0")
field("graphUsageMode", "2.29.2", "2.29.0")
field("numRmaCtx", "2.29.2", "2.29.0")
field("maxP2pPeers", "2.30.3")
field("graphStreamOrdering", "2.30.7", "2.30.5")
field("launchOrderImplicit", "2.31.2", "2.31.0")
field("numRmaSig", "2.31.2", "2.31.0")
field("rmaEagerInit", "2.31.2", "2.31.0")
field("hostCftMode", "2.31.2", "2.31.0")
field("nvlsHostMode", "2.32.3", "2.32.0")

-- An environment variable that the simulator reads, and that not all profiles know.
local function variable(name, since)
  versions.variables[#versions.variables + 1] = { name = name, since = since }
end

variable("NCCL_COMM_SHRINK_SHARE_RESOURCES", "2.27.3")
variable("NCCL_CTA_POLICY", "2.27.3")
variable("NCCL_WIN_ENABLE", "2.27.3")
variable("NCCL_NVLINK_UTIL_CENTRIC_SCHED_ENABLE", "2.28.3")
variable("NCCL_GRAPH_MIXING_SUPPORT", "2.29.2")
variable("NCCL_NUM_RMA_CTX", "2.29.2")
variable("NCCL_CHECK_MODE", "2.29.7")
variable("NCCL_DISABLE_MEM_MANAGER", "2.29.7")
variable("NCCL_MULTI_RANK_GPU_ENABLE", "2.30.3")
variable("NCCL_P2P_MAX_PEERS", "2.30.3")
variable("NCCL_PARAM_DUMP_ALL", "2.30.4")
variable("NCCL_GRAPH_STREAM_ORDERING", "2.30.7")
variable("NCCL_RMA_EAGER_INIT", "2.31.2")

-- Functions that api.lua lacks and that the drop-in library has all the same (src/shim/newer_nccl.c, absent_nccl.c), by
-- the lists of the libraries 2.30.7, 2.31.2 and 2.32.3. Each collective has a variant with a configuration, ncclXConfig.
versions.collectives_with_config = "2.31.2"
versions.drop_in = { { name = "ncclSetEncryption", since = "2.32.3" } }
for _, name in ipairs { "ncclGetCftDeviceLeInfo", "ncclGetMultimemDeviceLeInfo", "ncclGetPeerDeviceLeInfo",
                        "ncclTeamCft", "ncclTeamCftMultimem" } do
  table.insert(versions.drop_in, { name = name, since = "2.31.2" })
end

return versions
