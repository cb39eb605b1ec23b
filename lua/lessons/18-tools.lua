local hang = [[
scenario { ranks = 3, about = "rank 1 leaves the loop one step early" }
local x = cuda.buffer("float32", 256):fill(rank)
local steps = rank == 1 and 9 or 10
for i = 1, steps do
    world:all_reduce(x)
    stream:sync()
end
]]

-- The log of three ranks with NCCL_DEBUG=TRACE and NCCL_DEBUG_SUBSYS=CALL; rank 2 makes another second call.
local log = [[
gpu-a:801:801 NCCL CALL ncclCommInitRank(0x55d000000010, 3, 0x9f2c66d0b7e81a35, 0, 0)
gpu-a:802:802 NCCL CALL ncclCommInitRank(0x55d000000020, 3, 0x9f2c66d0b7e81a35, 1, 1)
gpu-b:803:803 NCCL CALL ncclCommInitRank(0x55d000000030, 3, 0x9f2c66d0b7e81a35, 2, 0)
gpu-a:801:801 NCCL CALL ncclAllReduce(7f1200000000,7f1300000000,4096,7,0,0,0x55d000000010,0x55d000000910)
gpu-a:802:802 NCCL CALL ncclAllReduce(7f1201000000,7f1301000000,4096,7,0,0,0x55d000000020,0x55d000000920)
gpu-b:803:803 NCCL CALL ncclAllReduce(7f1202000000,7f1302000000,4096,7,0,0,0x55d000000030,0x55d000000930)
gpu-a:801:801 NCCL CALL ncclAllGather(7f1200000000,7f1300000000,512,7,0,0,0x55d000000010,0x55d000000910)
gpu-a:802:802 NCCL CALL ncclAllGather(7f1201000000,7f1301000000,512,7,0,0,0x55d000000020,0x55d000000920)
gpu-b:803:803 NCCL CALL ncclAllGather(7f1202000000,7f1302000000,256,7,0,0,0x55d000000030,0x55d000000930)
]]

return {
  title = "More tools: pages, logs of real jobs, your own programs",
  ranks = 4,
  steps = {
    {
      text = [[
A run can be written as a page for the browser: a time line of every rank, each call with its arguments, and the
report with links to the lines:

    ncclscript run --html page.html FILE

The folder has a scenario, early.lua.]],
      files = { ["early.lua"] = hang },
      task = "Run early.lua and write its page as early.html.",
      check = function(s)
        if not s.command then return nil end
        if not ran(s, "run", "early.lua") then return false, "the command is: ncclscript run --html early.html early.lua" end
        local page = s.file("early.html")
        if page then return page:find("early.lua", 1, true) and true or nil end
        return false, "there is no early.html yet: add --html early.html"
      end,
      right = "In a real folder, open the page in a browser. Ranks that did the same share a row, and the missing call is marked.",
      hints = { "ncclscript run --html early.html early.lua" },
      solution = "ncclscript run --html early.html early.lua",
      wrong = {
        { "ncclscript run early.lua", "no early.html yet" },
        { "ncclscript check early.lua", "the command is" },
        { "ncclscript run --html page.html early.lua", "no early.html yet" },
        { ":write early.html\n<p>early</p>\n.", "" },
      },
    },
    {
      text = [[
A job that hangs on a cluster leaves files: PyTorch's Flight Recorder dumps, or a log of NCCL. `ncclscript diagnose`
reads them and explains the hang in the same way. job.log is the log of a job with three ranks. Its ranks ran with
NCCL_DEBUG=TRACE and NCCL_DEBUG_SUBSYS=CALL.]],
      files = { ["job.log"] = log },
      task = "Diagnose job.log. Which rank passed a different count?",
      answer = "2",
      right = "Rank 2 gathers 256 elements, the others 512.",
      hints = { "ncclscript diagnose job.log" },
      wrong = {
        { "0", "rank 0 passes 512, as rank 1" },
        { "1", "rank 1 passes 512, as rank 0" },
        { "256", "256 is the count; the question is which rank passed it" },
        { "3", "the ranks are 0, 1 and 2" },
      },
    },
    {
      text = [[
A log shows less than a run: it does not say which calls have completed, and a dump holds no operator and no root.]],
      files = { ["job.log"] = log },
      task = "Can `diagnose` be certain of a cause that it finds in such files? Type yes or no.",
      answer = "no",
      right = "Its findings are likely, and a report says what else the cause could be. A run on the simulator can prove its cause.",
      hints = { "What does the report say after `note`?" },
      wrong = {
        { "yes", "the files do not hold everything; read the note in the report" },
        { "sometimes", "the files never hold everything; read the note in the report" },
        { "always", "the files do not hold everything; read the note in the report" },
        { "likely", "that is what a finding is; the question is whether it can be certain" },
      },
    },
    {
      text = [[
You have a C++ program, `train`, that calls NCCL and CUDA, and a laptop without a GPU. One command of ncclscript
runs the program with simulated GPUs, and reports hangs in the same way:

    ncclscript ?? -- ./train]],
      task = "Which command is it? `ncclscript --help` lists all commands.",
      answer = "exec",
      right = "The program is not changed or linked again: it loads the libraries of the simulator instead of the real ones. It runs in one process, with one thread per rank.",
      hints = { "ncclscript --help" },
      wrong = {
        { "run", "run takes scenarios, not programs" },
        { "bench", "bench times collectives that it calls itself" },
        { "repl", "repl is a prompt" },
        { "diagnose", "diagnose reads files; it runs nothing" },
      },
    },
    {
      text = [[
A scenario can also run on real GPUs, with the real NCCL: `ncclscript run --driver nccl FILE`. Then ncclscript cannot
see into NCCL. It notices a hang because no call completes for some time (--timeout).]],
      task = "Which exit status has a run with `--driver nccl` on a machine that has no GPU? (`ncclscript --help` lists them.)",
      answer = "77",
      right = "77 means skipped. It is no failure of the scenario, and no success.",
      hints = { "ncclscript --help", "Look for: no such driver or hardware here." },
      wrong = {
        { "0", "0 would say that the run ended as expected" },
        { "1", "1 would say that a result was wrong" },
        { "2", "2 would say that the scenario does not load" },
        { "3", "3 would say that the run hung" },
      },
    },
    {
      text = [[
Faults make a scenario misbehave on purpose: `fault.kill { rank = 1, call = 5 }` stops rank 1 before its fifth
call. The order in which ranks run can be changed with `--seed N`, and `--repeat N` tries N seeds. So a bug that
depends on the order is found without luck.]],
      files = { ["early.lua"] = hang },
      task = "Run early.lua with 5 different seeds. (It must hang each time.)",
      check = function(s)
        if not s.command then return nil end
        if not ran(s, "run", "early.lua") then return false, "the command is: ncclscript run --repeat 5 early.lua" end
        if not s.command.text:find("repeat") then return false, "one run was made; the option is --repeat 5" end
        local hangs = select(2, s.command.output:gsub("HANG", ""))
        if not s.command.text:find("repeat[%s=]+5%f[%D]") then return false, "5 seeds: --repeat 5" end
        return s.command.status == 3 and hangs >= 1 or nil
      end,
      right = "Rank 1 always leaves early, so each order of the ranks hangs.",
      hints = { "ncclscript run --repeat 5 early.lua" },
      solution = "ncclscript run --repeat 5 early.lua",
      wrong = {
        { "ncclscript run early.lua", "--repeat 5" },
        { "ncclscript run --seed 5 early.lua", "--repeat 5" },
        { "ncclscript run --repeat 2 early.lua", "5 seeds" },
        { "ncclscript check early.lua", "the command is" },
      },
    },
  },
}
