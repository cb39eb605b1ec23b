return {
  title = "Reading a hang",
  ranks = 4,
  steps = {
    {
      text = [[
Something has gone wrong here: ranks wait. Nothing on a cluster would say more than that. Three commands tell:
`:ranks` where each of them is, `:waits` who waits for whom, `:why` what is wrong, if it can be told.]],
      setup = 'x = cuda.buffer("float32", 4):fill(1)\nworld:all_reduce(x)\nstream:sync()\n@0,1,3 world:all_reduce(x) stream:sync()',
      task = "Find out who is missing, and let it make the call, so that all go on.",
      check = function(s)
        if #s.waiting == 0 and #s.calls(2, "ncclAllReduce") == 2 then return true end
        if #s.calls(2, "ncclBroadcast") > 0 then return false, "rank 2 made another call than the others; :again" end
      end,
      right = "Rank 2 had left out a call. In a real job it would have gone on to the next one, and the hang come later.",
      hints = { ":waits", "@2 world:all_reduce(x) stream:sync()" },
      calls = { { "ncclAllReduce", ranks = { 2 } } },
      solution = "@2 world:all_reduce(x) stream:sync()",
      wrong = { { "@2 world:broadcast(x)", "another call" } },
    },
    {
      text = [[
Again. This time all ranks are waiting, nobody can act. One of them did something else than the others.
Look, then undo that line: `:back` undoes the last one, and the others are as they were.]],
      setup = 'y = cuda.buffer("float32", 8):fill(1)\n@0..2 world:all_reduce(y) stream:sync()\n@3 world:all_reduce(y, { count = 4 }) stream:sync()',
      task = "What is wrong? Undo it, and let rank 3 do it right.",
      check = function(s)
        local c = s.calls(3, "ncclAllReduce")
        if #s.waiting == 0 and c[#c].count == 8 then return true end
        if #s.waiting == 4 and c[#c].count == 8 then return false, "rank 3 waits for something else now; :why" end
      end,
      right = "A count that differs on one rank: NCCL does not compare them, and does not notice.",
      hints = { ":why", ":back", "@3 world:all_reduce(y)" },
      solution = ":back\n@3 world:all_reduce(y) stream:sync()",
    },
    {
      text = [[
One more. Everybody has made the same calls, on the same communicators, with the same counts.]],
      setup = 'half = world:split { color = rank // 2 }\nz = cuda.buffer("float32", 2):fill(1)\nworld:all_reduce(z) half:all_reduce(z) stream:sync()\n@0 world:all_reduce(z) stream:sync() half:all_reduce(z) stream:sync()\n@1 half:all_reduce(z) stream:sync() world:all_reduce(z) stream:sync()\n@2,3 world:all_reduce(z) half:all_reduce(z) stream:sync()',
      task = "Find the line that is wrong, go back to before it (`:back 2` undoes two), and do all calls again in one order.",
      check = function(s)
        if #s.waiting == 0 and #s.findings == 0 and #s.calls(1, "ncclAllReduce") >= 4 and #s.calls(2, "ncclAllReduce") >= 4 then
          return true
        end
      end,
      right = "Two communicators in opposite orders: each rank alone looks innocent.",
      hints = { ":why", ":back 2 undoes the lines of ranks 2, 3 and of rank 1.",
                "@1..3 world:all_reduce(z) stream:sync() half:all_reduce(z) stream:sync()" },
      solution = ":back 2\n@1..3 world:all_reduce(z) stream:sync() half:all_reduce(z) stream:sync()",
    },
  },
}
