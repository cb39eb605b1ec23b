-- The calls of a job's ranks, and the finding that its traces must lead to. `expect` is of all
-- formats; in it fr, logs, calls and the like are of one. `says`: part of the report, as a Lua-free text.

return {
  { name = "skipped",
    program = function(j)
      j.AllReduce { line = 10 }
      if j.rank ~= 2 then j.AllReduce { line = 11, count = 64 } end
      j.Broadcast { line = 12 }
      j.AllReduce { line = 13 }
    end,
    expect = { exit = 3, rule = "skipped-call", culprits = "2", call = 2,
               fr_pickle = { exit = 3, rule = "skipped-call", culprits = "2", call = 2, says = "skipped.py:11" },
               log = { exit = 3, rule = "skipped-call", culprits = "2", call = 2, says = "all.log:" } } },

  { name = "behind", -- the last two calls look the same, and rank 1 makes one of them only
    program = function(j)
      j.AllReduce { line = 10 }
      j.AllReduce { line = 11 }
      if j.rank ~= 1 then j.AllReduce { line = 12 } end
    end,
    expect = { exit = 3, rule = "skipped-call", culprits = "1", call = 3,
               fr_pickle = { exit = 3, rule = "skipped-call", culprits = "1", call = 3, says = "behind.py:12" } } },

  { name = "extra",
    program = function(j)
      j.AllReduce { line = 10 }
      if j.rank == 1 then j.Broadcast { line = 11, count = 8 } end
      j.AllReduce { line = 12, count = 64 }
      j.AllReduce { line = 13 }
    end,
    expect = { exit = 3, rule = "extra-call", culprits = "1", call = 2 } },

  { name = "swapped",
    program = function(j)
      j.AllReduce { line = 10 }
      if j.rank == 3 then
        j.Broadcast { line = 12 }
        j.AllReduce { line = 11, count = 64 }
      else
        j.AllReduce { line = 11, count = 64 }
        j.Broadcast { line = 12 }
      end
      j.AllReduce { line = 13 }
    end,
    expect = { exit = 3, rule = "swapped-calls", culprits = "3", call = 2 } },

  { name = "count",
    program = function(j)
      j.AllReduce { line = 10 }
      j.AllReduce { line = 11, count = j.rank == 2 and 1000 or 1024 }
    end,
    expect = { exit = 3, rule = "count-mismatch", culprits = "2", call = 2 } },

  { name = "dtype",
    program = function(j)
      j.AllReduce { line = 10 }
      j.AllReduce { line = 11, dtype = j.rank == 0 and "float64" or "float32" }
    end,
    expect = { exit = 3, rule = "dtype-mismatch", culprits = "0", call = 2 } },

  { name = "kind",
    program = function(j)
      j.AllReduce { line = 10 }
      if j.rank == 1 then
        j.AllGather { line = 11 }
      else
        j.AllReduce { line = 11 }
      end
    end,
    expect = { exit = 3, rule = "kind-mismatch", culprits = "1", call = 2 } },

  { name = "root", -- which a dump does not say
    program = function(j) j.Broadcast { line = 10, root = j.rank == 2 and 1 or 0 } end,
    expect = { fr = { exit = 3, says = "is not over although every rank has made it" },
               logs = { exit = 3, rule = "root-mismatch", culprits = "2", call = 1 } } },

  { name = "operator",
    program = function(j) j.AllReduce { line = 10, op = j.rank == 2 and "max" or "sum" } end,
    expect = { fr = { exit = 0 }, logs = { exit = 1, rule = "op-mismatch", culprits = "2", call = 1 } } },

  { name = "send",
    program = function(j)
      j.AllReduce { line = 10 }
      if j.rank == 0 then j.Send(1, { line = 11 }) end
    end,
    expect = { exit = 3, rule = "send-without-recv", culprits = "1",
               says = "or    it could also be that rank 0 made a send too many on " } },

  { name = "peer", -- rank 2 names the wrong rank in the middle of a ring
    program = function(j)
      local next, last = (j.rank + 1) % 4, (j.rank + 3) % 4
      j.group(function()
        j.Send(j.rank == 2 and 1 or next, { line = 11 })
        j.Recv(last, { line = 12 })
      end)
    end,
    expect = { exit = 3, rule = "wrong-peer", culprits = "2" } },

  { name = "cycle",
    program = function(j)
      local next, last = (j.rank + 1) % 4, (j.rank + 3) % 4
      if j.rank < 4 then
        j.Send(next, { line = 11 })
        j.Recv(last, { line = 12 })
      end
    end,
    expect = { exit = 3, rule = "p2p-cycle", culprits = "0,1,2,3",
               fr = { exit = 3, rule = "comm-order", culprits = "0,1,2,3" } } },

  { name = "pair_cycle", ranks = 2,
    program = function(j)
      j.Send(1 - j.rank, { line = 11 })
      j.Recv(1 - j.rank, { line = 12 })
    end,
    expect = { exit = 3, rule = "p2p-cycle", culprits = "0,1" } },

  { name = "opposite",
    comms = { { pg = "0", name = "default_pg", ranks = { 0, 1, 2, 3 } }, { pg = "7", name = "mesh_tp", ranks = { 0, 1, 2, 3 } } },
    program = function(j)
      j.AllReduce { line = 10, comm = j.rank == 3 and 2 or 1 }
      j.AllReduce { line = 11, comm = j.rank == 3 and 1 or 2 }
    end,
    expect = { exit = 3, rule = "comm-order", culprits = "3" } },

  { name = "part", -- a rank is behind in a part of the communicator
    comms = { { pg = "0", name = "default_pg", ranks = { 0, 1, 2, 3 } }, { pg = "3", name = "undefined", parent = 1, ranks = { 2, 3 } } },
    program = function(j)
      j.AllReduce { line = 10 }
      if j.rank == 2 then j.AllReduce { line = 11, comm = 2 } end
      if j.rank < 2 then j.AllReduce { line = 12 } end
    end,
    expect = { exit = 3, rule = "skipped-call", culprits = "3", calls = {} } },

  { name = "died", died = 2,
    program = function(j)
      j.AllReduce { line = 10 }
      if j.rank ~= 2 then j.AllReduce { line = 11 } end
    end,
    expect = { fr = { exit = 3, rule = "rank-lost", culprits = "2", call = 2, says = "rank 2 left no dump" },
               logs = { exit = 5, says = "rank 2 left no log" } } },

  { name = "died_unmissed", died = 2, -- nobody waits for the rank without a dump, but for another one
    comms = { { pg = "0", name = "default_pg", ranks = { 0, 1, 2, 3 } }, { pg = "4", name = "tp", ranks = { 0, 1, 3 } } },
    program = function(j)
      j.AllReduce { line = 10 }
      if j.rank == 0 or j.rank == 3 then j.AllReduce { line = 11, comm = 2 } end
    end,
    expect = { exit = 3, rule = "skipped-call", culprits = "1", says = "rank 2 left no" } },

  { name = "never_joined", died = 2, absent = true,
    program = function() end,
    expect = { log = { exit = 3, rule = "init-missing-rank", culprits = "2" }, logs = { exit = 3, rule = "init-missing-rank", culprits = "2" },
               calls = {}, fr = {} } },

  { name = "cut", cut = { [0] = 5, [1] = 3, [2] = 4, [3] = 5 },
    program = function(j)
      for i = 1, 8 do
        if i ~= 7 or j.rank ~= 1 then j.AllReduce { line = i, count = 16 * i } end
      end
    end,
    expect = { fr = { exit = 3, rule = "skipped-call", culprits = "1", call = 7, says = "lost the oldest calls" }, logs = {} } },

  { name = "cut_right", cut = { [0] = 2, [2] = 5 },
    program = function(j)
      for i = 1, 8 do j.AllReduce { line = i, count = 16 * i } end
      if j.rank < 2 then j.Send(j.rank + 2) else j.Recv(j.rank - 2) end
    end,
    expect = { fr = { exit = 0 }, logs = {} } },

  { name = "frozen", frozen = true, -- all made it, and none came back
    program = function(j) j.AllReduce { line = 10 } end,
    expect = { fr = { exit = 3, says = "calls wait; these files do not show why" }, logs = {} } },

  { name = "unclosed",
    program = function(j)
      j.AllReduce { line = 10 }
      j.group(function() j.AllReduce { line = 11 } end, j.rank == 1)
    end,
    expect = { fr = {}, log = {}, logs = {}, calls = { exit = 3, rule = "missing-group-end", culprits = "1" } } },

  { name = "none", program = function() end, expect = { exit = 5 } },

  { name = "right",
    comms = { { pg = "0", name = "default_pg", ranks = { 0, 1, 2, 3 } }, { pg = "1", name = "tp", ranks = { 0, 1 } },
              { pg = "2", name = "tp", ranks = { 2, 3 } } },
    program = function(j)
      local mine = j.rank < 2 and 2 or 3
      for i = 1, 3 do
        j.AllReduce { line = i }
        j.AllGather { line = 20 + i, comm = mine }
        j.Broadcast { line = 30 + i, root = i }
      end
      j.group(function()
        j.Send((j.rank + 1) % 4, { line = 41 })
        j.Recv((j.rank + 3) % 4, { line = 42 })
      end)
      if j.rank == 0 then j.Send(3, { line = 43 }) end
      if j.rank == 3 then j.Recv(0, { line = 44 }) end
      j.ReduceScatter { line = 50, comm = mine }
    end,
    expect = { fr = { exit = 0 }, logs = { exit = 5, says = "do not show that every call has ended" } } },
}
