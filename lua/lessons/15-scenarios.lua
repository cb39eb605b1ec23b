return {
  title = "Scenario files: write, check, run",
  ranks = 4,
  steps = {
    {
      text = [[
A scenario is a Lua file. Every rank runs it from top to bottom, as a process of an MPI program does. This lesson
has a folder with files. Here `cat NAME` shows a file, and you can type the commands of ncclscript as in a shell:

    cat sum.lua
    ncclscript run sum.lua]],
      files = { ["sum.lua"] = [[
scenario { ranks = 4, about = "the sum of all ranks" }
local x = cuda.buffer("float32", 8):fill(rank + 1)
world:all_reduce(x)
stream:sync()
expect.equal(x, 10)
]] },
      task = "Run sum.lua.",
      check = function(s)
        if not s.command then return nil end
        if not ran(s, "run", "sum.lua") then return false, "the command is: ncclscript run sum.lua" end
        if s.command.status == 0 and s.command.output:find("4 ranks") then return true end
        return false, "run it as it is, without options"
      end,
      right = [[
PASS, exit status 0. "4 results verified" means: ncclscript computed the expected result of the all-reduce itself and
compared every element on every rank. The expectation in the last line was checked, too.]],
      hints = { "ncclscript run sum.lua" },
      solution = "ncclscript run sum.lua",
      wrong = {
        { "ncclscript check sum.lua", "the command is" },
        { "ncclscript run sum.lua -n 2", "without options" },
        { "cat sum.lua", "" },
        { "ncclscript list sum.lua", "the command is" },
      },
    },
    {
      text = [[
expect.equal(x, v) compares every element of x with v. With a failed expectation the verdict is WRONG and the exit
status is 1. With `-n 8`, the scenario runs with 8 ranks instead of 4.]],
      task = "What is the exit status of `ncclscript run -n 8 sum.lua`?",
      answer = "1",
      right = "The sum over 8 ranks is 36, and the file expects 10.",
      hints = { "What is 1 + 2 + ... + 8?", "Compare it with the number in the last line of the file." },
      wrong = {
        { "0", "the sum over 8 ranks is not 10" },
        { "3", "3 is a hang; all ranks make the same calls here" },
        { "2", "2 means that the file does not load; this one does" },
        { "10", "10 is the value in the file; the question is the exit status" },
      },
    },
    {
      text = [[
Mend the file: the expected sum must depend on the number of ranks. The sum of 1 to n is n * (n + 1) / 2, and the
number of ranks is `nranks`. `:write NAME` takes the lines that you type next as the new contents of a file; a line
with a single dot ends it. The five lines of sum.lua are:

    scenario { ranks = 4, about = "the sum of all ranks" }
    local x = cuda.buffer("float32", 8):fill(rank + 1)
    world:all_reduce(x)
    stream:sync()
    expect.equal(x, 10)]],
      task = "Write sum.lua anew, so that `ncclscript run -n 8 sum.lua` passes. Run it with 8 ranks.",
      check = function(s)
        if not s.command then return nil end
        local text = s.file("sum.lua") or ""
        if not ran(s, "run", "sum.lua") then return false, "then run it: ncclscript run -n 8 sum.lua" end
        if s.command.status ~= 0 then return false, "it does not pass; read the report" end
        if not s.command.output:find("8 ranks") then return false, "run it with 8 ranks: -n 8" end
        if not text:find("expect") or not text:find("all_reduce") or not s.command.output:find("8 results verified") then
          return false, "keep the all-reduce and the expectation"
        end
        if not text:find("nranks") then return false, "the expected value must depend on nranks" end
        return true
      end,
      right = "A scenario that computes its expected values from nranks runs with any number of ranks.",
      hints = { ":write sum.lua", "expect.equal(x, nranks * (nranks + 1) / 2)" },
      solution = [[
:write sum.lua
scenario { ranks = 4, about = "the sum of all ranks" }
local x = cuda.buffer("float32", 8):fill(rank + 1)
world:all_reduce(x)
stream:sync()
expect.equal(x, nranks * (nranks + 1) / 2)
.
ncclscript run -n 8 sum.lua]],
      wrong = {
        { "ncclscript run -n 8 sum.lua", "does not pass" },
        { ":write sum.lua\nscenario { ranks = 4 }\nprint(nranks)\n.\nncclscript run -n 8 sum.lua", "keep the all-reduce" },
        { ':write sum.lua\nscenario { ranks = 4 }\nlocal x = cuda.buffer("float32", 8):fill(rank + 1)\nworld:all_reduce(x)\nstream:sync()\nexpect.equal(x, 36)\n.\nncclscript run -n 8 sum.lua', "must depend on nranks" },
        { ':write sum.lua\nscenario { ranks = 4 }\nlocal x = cuda.buffer("float32", 8):fill(rank + 1)\nworld:all_reduce(x)\nstream:sync()\nexpect.equal(x, nranks * (nranks + 1) / 2)\n.\nncclscript run sum.lua', "with 8 ranks" },
      },
    },
    {
      text = [[
`ncclscript check` reports the mistakes of a scenario without running it: wrong syntax, unknown names and fields,
calls that cannot be made. slip.lua has two mistakes.]],
      files = { ["slip.lua"] = [[
scenario { ranks = 4 }
local x = cuda.bufer("float32", 8):fill(rnk)
world:all_reduce(x, { op = "max" })
stream:sync()
]] },
      task = "Check slip.lua, write it without the two mistakes, and check it again.",
      check = function(s)
        if not s.command then return nil end
        if not ran(s, "check", "slip.lua") then return false, "the command is: ncclscript check slip.lua" end
        if s.command.status ~= 0 then return nil, "the check names line and column of each mistake; mend them with `:write slip.lua`" end
        local text = s.file("slip.lua") or ""
        if not text:find("all_reduce") or not text:find("max") then return false, "keep the all-reduce with the operator max" end
        return true
      end,
      right = "The check found both mistakes without running anything.",
      hints = { "ncclscript check slip.lua", "The names are `buffer` and `rank`." },
      solution = [[
:write slip.lua
scenario { ranks = 4 }
local x = cuda.buffer("float32", 8):fill(rank)
world:all_reduce(x, { op = "max" })
stream:sync()
.
ncclscript check slip.lua]],
      wrong = {
        { "ncclscript check slip.lua", "names line and column" },
        { "ncclscript run slip.lua", "the command is" },
        { ":write slip.lua\nscenario { ranks = 4 }\n.\nncclscript check slip.lua", "keep the all-reduce" },
        { ":write slip.lua\nscenario { ranks = 4 }\nlocal x = cuda.buffer(\"float32\", 8):fill(rnk)\nworld:all_reduce(x, { op = \"max\" })\n.\nncclscript check slip.lua", "names line and column" },
      },
    },
    {
      text = [[
A scenario can declare how it should end. The run is then a success if it ends in that way. So a file that
reproduces a bug is a test:

    scenario { ranks = 4, outcome = { hang = { culprit = 2, why = "skipped-call" } } }]],
      files = { ["skip.lua"] = [[
scenario { ranks = 4 }
local x = cuda.buffer("float32", 8):fill(rank)
if rank ~= 2 then world:all_reduce(x) end
world:broadcast(x)
stream:sync()
]] },
      task = "Run skip.lua and read the report. Declare the outcome in its first line, and run it again: exit status 0.",
      check = function(s)
        if not s.command then return nil end
        if not ran(s, "run", "skip.lua") then return false, "the command is: ncclscript run skip.lua" end
        local status, text = s.command.status, s.file("skip.lua") or ""
        if status == 3 and not text:find("outcome") then return false, "exit status 3 is a hang. Now declare it with `:write skip.lua`" end
        if status ~= 0 then return false, "the run did not end as declared; read what it prints" end
        if not s.command.output:find("hang as declared") then return false, "keep the bug: the run must hang as declared" end
        if not text:find("culprit") then return false, "declare the culprit, too" end
        return true
      end,
      right = "The run hangs, as declared. If somebody mends the bug, this test fails and says so.",
      hints = { "ncclscript run skip.lua", 'outcome = { hang = { culprit = 2, why = "skipped-call" } }' },
      solution = [[
:write skip.lua
scenario { ranks = 4, outcome = { hang = { culprit = 2, why = "skipped-call" } } }
local x = cuda.buffer("float32", 8):fill(rank)
if rank ~= 2 then world:all_reduce(x) end
world:broadcast(x)
stream:sync()
.
ncclscript run skip.lua]],
      wrong = {
        { "ncclscript run skip.lua", "Now declare it" },
        { ":write skip.lua\nscenario { ranks = 4 }\nlocal x = cuda.buffer(\"float32\", 8):fill(rank)\nworld:all_reduce(x)\nstream:sync()\n.\nncclscript run skip.lua", "keep the bug" },
        { ":write skip.lua\nscenario { ranks = 4, outcome = { hang = {} } }\nlocal x = cuda.buffer(\"float32\", 8):fill(rank)\nif rank ~= 2 then world:all_reduce(x) end\nworld:broadcast(x)\nstream:sync()\n.\nncclscript run skip.lua", "declare the culprit" },
        { ":write skip.lua\nscenario { ranks = 4, outcome = { hang = { culprit = 1 } } }\nlocal x = cuda.buffer(\"float32\", 8):fill(rank)\nif rank ~= 2 then world:all_reduce(x) end\nworld:broadcast(x)\nstream:sync()\n.\nncclscript run skip.lua", "did not end as declared" },
      },
    },
  },
}
