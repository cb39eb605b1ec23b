local average = [[
scenario: average of all ranks
ranks: 4
buffers:
  x: { dtype: float32, count: 8, init: rank + 1 }
steps:
  - all_reduce: { send: x, op: avg }
  - sync: stream
  - expect: { x: 2.5 }
]]

return {
  title = "Scenarios in YAML, and many runs of one file",
  ranks = 4,
  steps = {
    {
      text = [[
A scenario can be written in YAML. average.yaml in this lesson's folder is:

    scenario: average of all ranks
    ranks: 4
    buffers:
      x: { dtype: float32, count: 8, init: rank + 1 }
    steps:
      - all_reduce: { send: x, op: avg }
      - sync: stream
      - expect: { x: 2.5 }

`ncclscript convert FILE` prints the same scenario in Lua.]],
      files = { ["average.yaml"] = average },
      task = "Convert average.yaml to Lua.",
      check = function(s)
        if not s.command then return nil end
        if not ran(s, "convert", "average.yaml") then return false, "the command is: ncclscript convert average.yaml" end
        return s.command.status == 0 and s.command.output:find("all_reduce") and true or nil
      end,
      right = "The two languages have the same words. Reports name the lines of the YAML file.",
      hints = { "ncclscript convert average.yaml" },
      solution = "ncclscript convert average.yaml",
      wrong = {
        { "ncclscript run average.yaml", "the command is" },
        { "ncclscript check average.yaml", "the command is" },
        { "cat average.yaml", "" },
        { "ncclscript convert other.yaml", "the command is" },
      },
    },
    {
      text = [[
Values in YAML are numbers or Lua expressions. Each rank evaluates them for itself; they can use rank and nranks.]],
      files = { ["average.yaml"] = average },
      task = "Write average.yaml anew, so that its expectation holds for any number of ranks, and run it with -n 6.",
      check = function(s)
        if not s.command then return nil end
        if not ran(s, "run", "average.yaml") then return false, "then run it: ncclscript run -n 6 average.yaml" end
        if s.command.status ~= 0 then return false, "it does not pass; read what it prints" end
        if not s.command.output:find("6 ranks") then return false, "run it with 6 ranks: -n 6" end
        local text = s.file("average.yaml") or ""
        if not text:find("expect") or not text:find("all_reduce") then return false, "keep the all-reduce and the expectation" end
        if not text:find("nranks") then return false, "the expected value must depend on nranks" end
        return true
      end,
      right = "The mean of 1 to n is (n + 1) / 2.",
      hints = { "The mean of 1, 2 ... n is (n + 1) / 2.", "  - expect: { x: (nranks + 1) / 2 }" },
      solution = [[
:write average.yaml
ranks: 4
buffers:
  x: { dtype: float32, count: 8, init: rank + 1 }
steps:
  - all_reduce: { send: x, op: avg }
  - sync: stream
  - expect: { x: (nranks + 1) / 2 }
.
ncclscript run -n 6 average.yaml]],
      wrong = {
        { "ncclscript run -n 6 average.yaml", "does not pass" },
        { "ncclscript run average.yaml", "with 6 ranks" },
        { ":write average.yaml\nranks: 4\nbuffers:\n  x: { dtype: float32, count: 8, init: rank + 1 }\nsteps:\n  - all_reduce: { send: x, op: avg }\n  - sync: stream\n  - expect: { x: 3.5 }\n.\nncclscript run -n 6 average.yaml", "must depend on nranks" },
        { ":write average.yaml\nsteps:\n  - print: nranks\n.\nncclscript run -n 6 average.yaml", "keep the all-reduce" },
      },
    },
    {
      text = [[
`matrix` runs a file several times: once for each combination of its values.

    matrix: { ranks: [2, 4, 8], policy: [strict, typical] }]],
      task = "How many runs does this matrix give?",
      answer = "6",
      right = "3 numbers of ranks times 2 policies.",
      hints = { "Each value of ranks is combined with each policy." },
      wrong = {
        { "5", "the values are combined, not listed one after another" },
        { "3", "there are two policies for each number of ranks" },
        { "2", "there are three numbers of ranks for each policy" },
        { "14", "the values of ranks are not added" },
      },
    },
    {
      text = "Mistakes in YAML files are reported all at once, with line and column, as a compiler does.",
      files = { ["slips.yaml"] = [[
ranks: 4
buffers:
  grads: { dtype: float32, count: 8, init: rank }
steps:
  - all_reduce: { send: grad, opp: max }
  - sync: stream
]] },
      task = "Run slips.yaml. How many mistakes are reported? Type the number.",
      answer = "2",
      right = "The buffer's name and the key of the operator. For both, the hint names the right word.",
      hints = { "ncclscript run slips.yaml" },
      wrong = {
        { "1", "run it: line 5 has two mistakes" },
        { "3", "run it and count the lines with `error:`" },
        { "0", "run it: the file does not load" },
        { "5", "5 is the line of the mistakes" },
      },
    },
    {
      text = "Now mend it.",
      files = { ["slips.yaml"] = [[
ranks: 4
buffers:
  grads: { dtype: float32, count: 8, init: rank }
steps:
  - all_reduce: { send: grad, opp: max }
  - sync: stream
]] },
      task = "Write slips.yaml without the mistakes, for 2, 4 and 8 ranks with a matrix instead of `ranks`, and run it.",
      check = function(s)
        if not s.command then return nil end
        if not ran(s, "run", "slips.yaml") then return false, "then run it: ncclscript run slips.yaml" end
        if s.command.status ~= 0 then return false, "it does not pass; read what it prints" end
        local text = s.file("slips.yaml") or ""
        if not text:find("all_reduce") or not text:find("max") then return false, "keep the all-reduce with the operator max" end
        if not s.command.output:find("3 cases") then return false, "matrix: { ranks: [2, 4, 8] } gives three cases" end
        for _, n in ipairs { 2, 4, 8 } do
          if not s.command.output:find(("ranks=%d]"):format(n), 1, true) then return false, "the matrix needs 2, 4 and 8 ranks" end
        end
        return true
      end,
      right = "Three runs, one line for each, and a summary.",
      hints = { "matrix: { ranks: [2, 4, 8] }", "  - all_reduce: { send: grads, op: max }" },
      solution = [[
:write slips.yaml
matrix: { ranks: [2, 4, 8] }
buffers:
  grads: { dtype: float32, count: 8, init: rank }
steps:
  - all_reduce: { send: grads, op: max }
  - sync: stream
.
ncclscript run slips.yaml]],
      wrong = {
        { "ncclscript run slips.yaml", "does not pass" },
        { ":write slips.yaml\nranks: 4\nbuffers:\n  grads: { dtype: float32, count: 8, init: rank }\nsteps:\n  - all_reduce: { send: grads, op: max }\n.\nncclscript run slips.yaml", "gives three cases" },
        { ":write slips.yaml\nmatrix: { ranks: [2, 4, 6] }\nbuffers:\n  grads: { dtype: float32, count: 8, init: rank }\nsteps:\n  - all_reduce: { send: grads, op: max }\n.\nncclscript run slips.yaml", "2, 4 and 8" },
        { ":write slips.yaml\nmatrix: { ranks: [2, 4, 8] }\nsteps:\n  - print: rank\n.\nncclscript run slips.yaml", "keep the all-reduce" },
      },
    },
  },
}
