-- What rank r receives from rank i - 1.
local function arriving(r) return function(i) return (i - 1 + r) % 3 end end

return {
  title = "Experts: all-to-all with equal and unequal parts",
  ranks = 4,
  steps = {
    {
      text = [[
In a mixture of experts, each rank holds an expert. A router decides for each token which expert computes it. An
all-to-all sends the tokens to their experts (dispatch), and another one sends them back (combine).]],
      task = "4 ranks have 100 tokens each. The router sends every token to expert 2. How many tokens does rank 2 receive?",
      answer = "400",
      right = "Rank 2 computes everything, and the other ranks wait for it. So routers are trained to balance the load.",
      hints = { "Every rank sends all its tokens to rank 2." },
      wrong = {
        { "100", "each of the four ranks sends its 100 tokens" },
        { "300", "rank 2's own tokens are for expert 2, too" },
        { "200", "each of the four ranks sends its 100 tokens" },
        { "25", "an equal distribution would give 100; here all tokens go to rank 2" },
      },
    },
    {
      text = [[
First equal parts: t holds 4 tokens on each rank, and token j is for expert j. Each expert e adds e + 1 to a token:
`number` holds rank + 1. On rank r the tokens are 10 * r.]],
      setup = 't = cuda.buffer("float32", 4):fill(10 * rank)\nhere = cuda.buffer("float32", 4):fill(0)\nback = cuda.buffer("float32", 4):fill(0)\nnumber = cuda.buffer("float32", 4):fill(rank + 1)',
      task = "Dispatch t into here, add `number` to here, and combine into back. On rank r, back is then 10r + 1, 10r + 2, 10r + 3, 10r + 4.",
      check = function(s)
        if all_hold(s, "back", function(r) return function(i) return 10 * r + i end end) then return true end
        if unfinished(s) then return false, "all ranks must make the calls" end
        if next(s.errors) then return false, "a line failed; read the error above" end
        local n = #s.made(0, "ncclAlltoAll") + #s.made(0, "ncclSend")
        if n > 0 and #s.made(0, "ncsAdd") == 0 then return false, "the tokens are with their experts; now here:add(number), then combine" end
        if all_hold(s, "back", function(r) return function() return 11 * r + 1 end end) then
          return false, "back holds the sum of the own expert; the order is dispatch, add, combine. `:again`"
        end
      end,
      right = "Each token came back to its rank and place, and its expert's number was added.",
      hints = { "world:all_to_all(t, here)", "here:add(number, { stream = stream })", "world:all_to_all(here, back)" },
      calls = { { { "ncclAlltoAll", "ncclSend" }, times = 2 }, { "ncsAdd" } },
      solution = "world:all_to_all(t, here)\nhere:add(number, { stream = stream })\nworld:all_to_all(here, back)\nstream:sync()",
      wrong = {
        { "back:fill(function(i) return 10 * rank + i end)", "by hand" },
        { "world:all_to_all(t, here)", "now here:add" },
        { "world:all_gather(t, here)", "a line failed" },
        { "@0..2 world:all_to_all(t, here)", "all ranks" },
        { "world:all_to_all(t, here) world:all_to_all(here, back)", "now here:add" },
      },
    },
    {
      text = [[
A real router gives each expert another number of tokens. NCCL has no all-to-all with unequal parts: it is made of
sends and receives. A receiver must know how many tokens come. So the ranks exchange their counts first.

`c` holds, on each rank, 4 counts: element j + 1 is what this rank will send to rank j.]],
      setup = 'c = cuda.buffer("int32", 4):fill(function(i) return (rank + i - 1) % 3 end)\nd = cuda.buffer("int32", 4):fill(-1)',
      task = "Let each rank know, in d, how many tokens it will receive from each rank. Use one collective.",
      check = function(s)
        if all_hold(s, "d", arriving) and #s.made(0, "ncclAlltoAll") + #s.made(0, "ncclSend") > 0 then return true end
        if unfinished(s) then return false, "all ranks must make the call" end
        if next(s.errors) then return false, "a line failed; each rank needs one count from each rank, not all counts" end
        if #s.made(0, "ncclBroadcast") > 0 then return false, "a broadcast gives the counts of one rank only" end
      end,
      right = "An all-to-all of one count per rank. Frameworks do exactly this before the exchange of tokens.",
      hints = { "Rank j needs element j + 1 of every c.", "world:all_to_all(c, d)" },
      calls = { { { "ncclAlltoAll", "ncclSend" } } },
      solution = "world:all_to_all(c, d)",
      wrong = {
        { "world:all_gather(c, d)", "not all counts" },
        { "d:copy_from(c)", "" },
        { "world:broadcast(c, d)", "of one rank only" },
        { "d:fill(function(i) return (i - 1 + rank) % 3 end)", "" },
      },
    },
    {
      text = [[
Now the tokens. n[j] is the number of tokens for rank j and m[j] the number from rank j. Both are known on the host;
the first token for rank j is at first[j] of `tokens`, and the first from rank j belongs at start[j] of `got`. A
view of k elements is tokens:slice(first, k). A count of 0 needs no call, if both sides skip it.]],
      setup = [[
n, m, first, start = {}, {}, {}, {}
local a, b = 1, 1
for j = 0, 3 do n[j] = (rank + j) % 3  m[j] = (j + rank) % 3  first[j] = a  start[j] = b  a = a + n[j]  b = b + m[j] end
tokens = cuda.buffer("float32", 8):fill(rank + 1)
got = cuda.buffer("float32", 8):fill(0)]],
      task = "Exchange the tokens: for each rank j one send and one receive where the count is not 0, all in one group.",
      check = function(s)
        if unfinished(s) then return false, "ranks wait; put all sends and receives in one group. `:again`" end
        if next(s.errors) then return false, "a line failed; read the error above" end
        if #s.made(0, "ncclAlltoAll") > 0 then return false, "NCCL's all-to-all has equal parts; `:again`" end
        for r = 0, 3 do
          local v, at = s.value(r, "got"), 1
          if not v then return nil end
          for j = 0, 3 do
            for _ = 1, (j + r) % 3 do
              if v[at] ~= j + 1 then
                return nil, #s.made(0, "ncclSend") > 0 and ("element %d of got on rank %d is %g, expected a token of rank %d; `:again`"):format(at, r, v[at], j) or nil
              end
              at = at + 1
            end
          end
        end
        return true
      end,
      right = "This is what all-to-all-v is: a group of sends and receives whose counts agree in pairs.",
      hints = {
        "nccl.group(function() for j = 0, 3 do ... end end)",
        "if n[j] > 0 then world:send(tokens:slice(first[j], n[j]), j) end",
        "if m[j] > 0 then world:recv(got:slice(start[j], m[j]), j) end",
      },
      calls = { { "ncclSend", grouped = true }, { "ncclRecv", grouped = true } },
      solution = [[
nccl.group(function()
  for j = 0, 3 do
    if n[j] > 0 then world:send(tokens:slice(first[j], n[j]), j) end
    if m[j] > 0 then world:recv(got:slice(start[j], m[j]), j) end
  end
end)]],
      wrong = {
        { "world:all_to_all(tokens, got)", "NCCL's all-to-all has equal parts" },
        { "nccl.group(function() for j = 0, 3 do if n[j] > 0 then world:send(tokens:slice(first[j], n[j]), j) end end end)", "ranks wait" },
        { "for j = 0, 3 do if n[j] > 0 then world:send(tokens:slice(first[j], n[j]), j) end if m[j] > 0 then world:recv(got:slice(start[j], m[j]), j) end end", "" },
        { "nccl.group(function() for j = 0, 3 do if n[j] > 0 then world:send(tokens:slice(1, n[j]), j) end if m[j] > 0 then world:recv(got:slice(1, m[j]), j) end end end)", "expected a token" },
      },
    },
    {
      text = [[
Suppose that rank 0 sends 3 tokens to rank 1, and rank 1 receives 2, because the exchange of the counts was skipped in
one branch of the program.]],
      task = "Does NCCL report an error? Type yes or no.",
      answer = "no",
      right = "NCCL does not compare the counts of a send and its receive. The result is undefined: wrong data, or a hang. ncclscript reports the two lines.",
      hints = { "Which arguments can one rank check alone?" },
      wrong = {
        { "yes", "each call is valid on its own rank, and NCCL does not compare the two" },
        { "sometimes", "NCCL never compares the counts of a send and its receive" },
        { "rank 1", "each call is valid on its own rank, and NCCL does not compare the two" },
        { "later", "NCCL never compares the counts of a send and its receive" },
      },
    },
  },
}
