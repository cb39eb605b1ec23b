local hang = 'x = cuda.buffer("float32", 4):fill(1)\nworld:all_reduce(x)\nstream:sync()\n@0,1,3 world:all_reduce(x) stream:sync()'

return {
  title = "Reading a hang",
  ranks = 4,
  steps = {
    {
      text = [[
Some ranks wait, and nothing moves. On a cluster, you would see only that. Here three commands tell you more:

    :ranks   where each rank is
    :waits   who waits for whom
    :why     what is wrong, if it can be told]],
      setup = hang,
      task = "Use the commands. Which rank do the others wait for?",
      answer = "2",
      right = "Rank 2 made one all-reduce fewer than the others.",
      hints = { ":waits", ":why" },
      wrong = {
        { "0", "rank 0 waits, so it made its call; who did not?" },
        { "1", "rank 1 waits, so it made its call; who did not?" },
        { "3", "rank 3 waits, so it made its call; who did not?" },
        { "0 1 3", "these ranks wait; the question is whom they wait for" },
      },
    },
    {
      text = "A missing call can be made later at this prompt. In a job, the rank has gone on to other calls.",
      task = "Let rank 2 make the missing call, so that all ranks continue.",
      check = function(s)
        local c = s.made(2)
        for _, call in ipairs(c) do
          if call.number > 0 and call.fn ~= "ncclAllReduce" then
            return false, "rank 2 made another call than the others; `:again`"
          end
        end
        if #s.waiting == 0 and #s.made(2, "ncclAllReduce") == 1 then return true end
        for r = 0, 3 do
          if r ~= 2 and #s.made(r) > 0 then return false, "only rank 2 has a call to make; `:again`" end
        end
        if s.findings[1] and #c > 0 then return false, "the ranks' calls still differ; `:why`, then `:again`" end
      end,
      right = "All ranks continue. In a job, rank 2 would be in a later call, and the hang would appear there.",
      hints = { "@2 world:all_reduce(x) stream:sync()" },
      calls = { { "ncclAllReduce", ranks = { 2 } } },
      solution = "@2 world:all_reduce(x) stream:sync()",
      wrong = {
        { "@2 world:broadcast(x)", "another call" },
        { "@2 world:all_reduce(x) world:all_reduce(x)", "" },
        { "@2 x:fill(4)", "" },
        { "@2 world:reduce_scatter(x)", "another call" },
      },
    },
    {
      text = [[
Now all ranks wait, and no rank can act. One of them passed a different argument.]],
      setup = ':reset -n 4\ny = cuda.buffer("float32", 8):fill(1)\n@0..2 world:all_reduce(y) stream:sync()\n@3 world:all_reduce(y, { count = 4 }) stream:sync()',
      task = "Which argument of rank 3 differs from the other ranks? Type its name.",
      answer = "count",
      right = "Rank 3 reduces 4 elements, the others 8. NCCL does not compare counts.",
      hints = { ":why", ":journal" },
      wrong = {
        { "dtype", "all ranks pass float32; look at `:why`" },
        { "op", "all ranks pass sum; look at `:why`" },
        { "root", "an all-reduce has no root; look at `:why`" },
        { "y", "all ranks pass their y; look at `:why`" },
      },
    },
    {
      text = "`:back` undoes the last line. The other ranks are then as they were before it.",
      task = "Undo the line of rank 3, and let rank 3 make the right call.",
      check = function(s)
        local c = s.calls(3, "ncclAllReduce")
        if #c == 0 then return false, "rank 3's line is undone; now its right call" end
        if #s.waiting == 0 and c[#c].count == 8 then return true end
        if c[#c].count ~= 8 and #s.made(3) > 0 then return false, "rank 3 must reduce 8 elements, as the others; `:why`" end
        if #s.waiting == 4 and c[#c].count == 8 then return false, "rank 3 waits for something else now; `:why`" end
      end,
      right = "All ranks continue.",
      hints = { ":back", "@3 world:all_reduce(y) stream:sync()" },
      calls = {},
      solution = ":back\n@3 world:all_reduce(y) stream:sync()",
      wrong = {
        { "@3 world:all_reduce(y)", "" },
        { ":back\n@3 world:broadcast(y) stream:sync()", "now its right call" },
        { ":back\n@3 world:all_reduce(y, { count = 4 }) stream:sync()", "" },
        { ":back", "" },
      },
    },
    {
      text = [[
One more hang. Every rank made the same number of calls on the same communicators, with the same arguments. The
commands `:why` and `:journal` help.]],
      setup = ':reset -n 4\nhalf = world:split { color = rank // 2 }\nz = cuda.buffer("float32", 2):fill(1)\nworld:all_reduce(z) half:all_reduce(z) stream:sync()\n@0 world:all_reduce(z) stream:sync() half:all_reduce(z) stream:sync()\n@1 half:all_reduce(z) stream:sync() world:all_reduce(z) stream:sync()\n@2,3 world:all_reduce(z) half:all_reduce(z) stream:sync()',
      task = "Find the wrong line. Go back to before it (`:back 2` undoes two lines), and make all calls again in one order, each with its stream:sync().",
      check = function(s)
        local enough, running = true, {} -- running: ranks whose last call nothing has waited for
        for r = 0, 3 do
          local w, h = 0, 0
          for _, c in ipairs(s.calls(r)) do
            if c.fn == "ncclAllReduce" then
              if c.comm == "world" then w = w + 1 else h = h + 1 end
              running[r] = true
            elseif c.fn:find("Synchronize") then
              running[r] = nil
            end
          end
          enough = enough and w >= 2 and h >= 2
        end
        if #s.waiting == 0 and #s.findings == 0 and enough then
          if next(running) then return false, "all calls match; stream:sync() shows that they end" end
          return true
        end
        if #s.findings > 0 and s.findings[1] == "comm-order" then return false, "the two orders still differ; `:why`" end
        if #s.waiting > 0 then return false, "ranks wait for the calls that are missing now" end
      end,
      right = "Two communicators in opposite orders: each rank alone looks correct.",
      hints = { ":why", ":back 2 undoes the lines of ranks 2 and 3, and of rank 1.",
                "@1..3 world:all_reduce(z) stream:sync() half:all_reduce(z) stream:sync()" },
      calls = {},
      solution = ":back 2\n@1..3 world:all_reduce(z) stream:sync() half:all_reduce(z) stream:sync()",
      wrong = {
        { ":back\n@2,3 half:all_reduce(z) world:all_reduce(z) stream:sync()", "still differ" },
        { ":back 2\n@1..3 half:all_reduce(z) stream:sync() world:all_reduce(z) stream:sync()", "" },
        { ":back 2\n@1 world:all_reduce(z) stream:sync() half:all_reduce(z) stream:sync()", "ranks wait" },
        { ":back 3\nz:fill(8)", "" },
        { ":back 2\n@1..3 world:all_reduce(z) stream:sync() half:all_reduce(z)", "stream:sync() shows" },
      },
    },
  },
}
