return {
  title = "Ranks and communicators",
  ranks = 4,
  steps = {
    {
      text = [[
A job with NCCL is several processes, each with a GPU of its own. Each has a number, its rank, from 0.
Here are four of them, and every line that you type runs on all four.

A rank knows its number: type `rank`. It knows how many there are: `nranks`.]],
      task = "Ask every rank for its number.",
      check = function(s)
        for r = 0, s.nranks - 1 do
          if s.replies[r] ~= tostring(r) then
            return false, s.replies[r] and "that is not the rank; type just: rank"
          end
        end
        return true
      end,
      right = "Every rank has answered with its own number.",
      hints = { "The name is `rank`, without quotes or brackets." },
      solution = "rank",
      wrong = { { "nranks", "not the rank" } },
    },
  },
}
