local train = [[
scenario { ranks = 4, about = "two training steps" }
local g = cuda.buffer("float32", 64):fill(rank + 1)
local loss = cuda.buffer("float32", 1):fill(rank)
for step = 1, 2 do
    world:all_reduce(g)
    if not (rank == 1 and step == 2) then
        world:all_reduce(loss, { op = "avg" })
    end
    stream:sync()
end
world:broadcast(g)
stream:sync()
]]
local pipeline = [[
scenario { ranks = 3 }
local x = cuda.buffer("float32", 16):fill(rank)
if rank > 0 then world:recv(x, rank - 1) end
if rank < 2 then world:send(x, rank == 1 and 0 or rank + 1) end
stream:sync()
]]
local halves = [[
scenario { ranks = 4 }
local x = cuda.buffer("float32", 1024):fill(rank)
local half = cuda.buffer("float16", 1024):fill(rank)
world:all_reduce(rank == 3 and half or x)
stream:sync()
]]

return {
  title = "Reading a report",
  ranks = 4,
  steps = {
    {
      text = [[
This lesson has three broken scenarios. Run them with `ncclscript run`, read the reports, and answer the questions.
`cat NAME` shows a file. A report has the same parts each time:

    HANG, WRONG ...   the verdict
    rank ...          what each rank's call is at that point
    code              the lines of the scenario
    why               the cause
    fix               what to change
    tried             what ncclscript changed and ran to prove it

train.lua is the first one.]],
      files = { ["train.lua"] = train },
      task = "Run train.lua. Which rank caused the hang?",
      answer = "1",
      right = "`why` names the rank: it skipped a call that the others made.",
      hints = { "ncclscript run train.lua", "Read the line that begins with `why`." },
      wrong = {
        { "0", "rank 0 made all calls; read the line that begins with `why`" },
        { "2", "rank 2 made all calls; 2 is the step in which it happens" },
        { "3", "rank 3 made all calls; read the line that begins with `why`" },
        { "0 2 3", "these ranks wait; the question is which rank caused it" },
      },
    },
    {
      text = "The report names the lines of the calls.",
      files = { ["train.lua"] = train },
      task = "On which line of train.lua is the call that rank 1 left out?",
      answer = "7",
      right = "Line 7 is the all-reduce of the loss, which rank 1 skips in step 2.",
      hints = { "`why` says: it skips call ... of the others at line ..." },
      wrong = {
        { "5", "rank 1 calls line 5 in both steps" },
        { "11", "line 11 is the call that rank 1 makes instead" },
        { "6", "line 6 is the condition; the call is on the next line" },
        { "12", "line 12 waits for the stream; it is no collective" },
      },
    },
    {
      text = [[
Each rank counts its calls on each communicator from 1. After a rank leaves out a call, its later calls meet the
wrong calls of the other ranks.]],
      files = { ["train.lua"] = train },
      task = "Which number has the first call on world at which rank 1 differs from the others?",
      answer = "4",
      right = "Calls 1 and 2 belong to step 1, call 3 is the all-reduce of step 2, and call 4 is the one that rank 1 skips.",
      hints = { "The second line of the report names the communicator and the call." },
      wrong = {
        { "7", "7 is the line; the question is the number of the call" },
        { "3", "call 3 is the first all-reduce of step 2, which rank 1 makes" },
        { "5", "call 5 is the broadcast of the other ranks" },
        { "2", "call 2 is the all-reduce of the loss in step 1, which rank 1 makes" },
      },
    },
    {
      text = "chain.lua passes data from rank 0 to rank 1 to rank 2. It hangs, too.",
      files = { ["chain.lua"] = pipeline },
      task = "Run chain.lua. Which rank sends to the wrong peer?",
      answer = "1",
      right = "Rank 1 sends to rank 0, and rank 2 waits for a send from rank 1.",
      hints = { "ncclscript run chain.lua", "Read the lines of the ranks: who sends to whom?" },
      wrong = {
        { "0", "rank 0 sends to rank 1, which receives from it" },
        { "2", "rank 2 only receives; the send that it waits for is missing" },
        { "none", "every receive needs a send from the same rank; which one is missing?" },
        { "3", "the ranks are 0, 1 and 2" },
      },
    },
    {
      text = "types.lua ends with the verdict WRONG: no rank waits, but the ranks passed different arguments.",
      files = { ["types.lua"] = halves },
      task = "Run types.lua. Which argument differs: count, dtype, op or root?",
      answer = "dtype",
      right = "Rank 3 passes float16. NCCL does not compare types. On GPUs the result is undefined.",
      hints = { "ncclscript run types.lua", "Compare the lines of the ranks." },
      wrong = {
        { "count", "all ranks pass 1024 elements" },
        { "op", "all ranks pass the operator sum" },
        { "root", "an all-reduce has no root" },
        { "float16", "float16 is the value; the question is the name of the argument" },
      },
    },
    {
      text = [[
The last line of a report names a page that explains the problem: `more  ncclscript explain skipped-call`. Every
word that a report uses has such a page.]],
      task = "Read the page of the problem in types.lua: ncclscript explain ... (the id is in its report).",
      files = { ["types.lua"] = halves },
      check = function(s)
        if not s.command then return nil end
        if ran(s, "explain", "dtype-mismatch") and s.command.status == 0 then return true end
        if ran(s, "run") then return false, "the last lines of this report name the id; now ncclscript explain ID" end
        return false, "the page of types.lua's problem has another id"
      end,
      right = "Each page has the cause, the symptoms with NCCL, the repair, and a scenario to try.",
      hints = { "ncclscript run types.lua shows the id after `more`.", "ncclscript explain dtype-mismatch" },
      solution = "ncclscript explain dtype-mismatch",
      wrong = {
        { "ncclscript run types.lua", "now ncclscript explain" },
        { "ncclscript explain skipped-call", "has another id" },
        { "ncclscript explain", "has another id" },
        { "ncclscript explain float16", "has another id" },
      },
    },
  },
}
