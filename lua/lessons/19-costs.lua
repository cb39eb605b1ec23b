return {
  title = "What a collective costs: latency, bandwidth, ring, tree",
  ranks = 8,
  steps = {
    {
      text = [[
The time of a message has two parts. The latency is paid once for each message. The rest is its size divided by
the bandwidth of the link. With a latency of 5 us and a bandwidth of 100 GB/s, 1 MB takes 5 + 10 = 15 us: 10 us
for the data.]],
      task = "How many us does a message of 10 MB take on this link?",
      answer = "105",
      right = "5 us latency and 100 us for the data.",
      hints = { "10 MB / (100 GB/s) = 100 us" },
      wrong = {
        { "150", "the latency is paid once, not for each MB" },
        { "100", "add the latency" },
        { "15", "15 us is the time of 1 MB" },
        { "50", "the data alone takes 100 us" },
      },
    },
    {
      text = [[
A ring all-reduce of n ranks makes n - 1 steps of a reduce-scatter and n - 1 steps of an all-gather, as in lesson
13. Each step pays the latency once.]],
      task = "How many steps does a ring all-reduce of 8 ranks make?",
      answer = "14",
      right = "2 * (8 - 1). With 1024 ranks there are 2046 steps: the latency of a ring grows with the number of ranks.",
      hints = { "2 * (n - 1)" },
      wrong = {
        { "7", "that is one of the two halves" },
        { "8", "each half makes n - 1 steps, and there are two halves" },
        { "16", "each half makes n - 1 steps, not n" },
        { "3", "3 is the depth of a binary tree with 8 ranks" },
      },
    },
    {
      text = [[
In each step a rank sends one of n parts of the data. So each rank sends 2 * (n - 1) / n times its data in all.]],
      task = "8 ranks all-reduce 64 MB. How many MB does each rank send?",
      answer = "112",
      right = "2 * 7 / 8 * 64 = 112. With more ranks it approaches twice the data, and never exceeds it.",
      hints = { "2 * 7 / 8 * 64" },
      wrong = {
        { "64", "each rank sends almost twice its data" },
        { "128", "a rank does not send its data to itself: (n - 1) / n" },
        { "56", "that is one of the two halves" },
        { "448", "parts are 64 / 8 = 8 MB, and there are 14 steps" },
      },
    },
    {
      text = [[
A tree all-reduce adds the data on the way up to a root and passes the sum on the way down. A binary tree of n
ranks is log2(n) levels deep, so there are 2 * log2(n) steps instead of 2 * (n - 1).]],
      task = "How many steps does a tree all-reduce of 1024 ranks make?",
      answer = "20",
      right = "log2(1024) = 10 levels up and 10 down, where a ring makes 2046 steps.",
      hints = { "2 ^ 10 = 1024" },
      wrong = {
        { "10", "10 levels up, and 10 down" },
        { "2046", "2046 is the number of steps of a ring" },
        { "1024", "the depth of a binary tree grows with the logarithm" },
        { "512", "the depth of a binary tree grows with the logarithm" },
      },
    },
    {
      text = [[
NCCL estimates the time of each algorithm and takes the faster one. In a plain tree, inner ranks send more data
than in a ring, so large messages favor the ring. (NCCL uses two trees at once, which reduces this difference.)]],
      task = "Which one is faster for 8 bytes on 1024 ranks: ring or tree?",
      answer = "tree",
      right = "8 bytes cost only latency, so the number of steps decides: 20 against 2046.",
      hints = { "Which part of the time matters for 8 bytes?" },
      wrong = {
        { "ring", "8 bytes cost only latency; compare the numbers of steps" },
        { "both", "8 bytes cost only latency; compare the numbers of steps" },
        { "same", "8 bytes cost only latency; compare the numbers of steps" },
        { "neither", "one of them has far fewer steps" },
      },
    },
    {
      text = [[
`ncclscript bench` times collectives with the options of nccl-tests. With `--model hgx-h100` it gives virtual times
from NCCL's own cost model and the links of a machine with 8 H100. The folder of this lesson is empty; a command
needs no file:

    ncclscript bench all_reduce -b 8 -e 8M -f 32 -g 8 -c 0 --model hgx-h100

-b and -e are the smallest and the largest size, -f is the factor between sizes, and -g is the number of GPUs.]],
      files = { ["notes.txt"] = "algbw = size / time\nbusbw = algbw * 2 * (n - 1) / n for an all-reduce\n" },
      task = "Run this command, and look at the times of small and large sizes.",
      check = function(s)
        if not s.command then return nil end
        if not ran(s, "bench", "all_reduce") then return false, "the command is: ncclscript bench all_reduce ..." end
        if s.command.status ~= 0 then return false, "the command failed; read what it prints" end
        if not ran(s, "bench", "hgx-h100") then return false, "without --model the times are those of this computer" end
        if not s.command.output:find("8388608") then return false, "measure up to 8M: -e 8M" end
        return true
      end,
      right = "Small sizes all take the same time: latency. Only large sizes take longer.",
      hints = { "ncclscript bench all_reduce -b 8 -e 8M -f 32 -g 8 -c 0 --model hgx-h100" },
      solution = "ncclscript bench all_reduce -b 8 -e 8M -f 32 -g 8 -c 0 --model hgx-h100",
      wrong = {
        { "ncclscript bench all_reduce -b 8 -e 8K -f 32 -g 8 -c 0", "without --model" },
        { "ncclscript bench all_reduce -b 8 -e 8K -f 32 -g 8 -c 0 --model hgx-h100", "up to 8M" },
        { "ncclscript bench broadcast -b 8 -e 8K -g 8 -c 0 --model hgx-h100", "the command is" },
        { "ncclscript bench all_reduce -b 8 -e 8M --model none", "failed" },
      },
    },
    {
      text = [[
nccl-tests prints two bandwidths. algbw is size / time. busbw multiplies it by the data that a link carries: for an
all-reduce 2 * (n - 1) / n. So busbw can be compared with the speed of the links, for any number of ranks.]],
      task = "An all-reduce over 8 ranks shows an algbw of 200 GB/s. What is its busbw?",
      answer = "350",
      right = "200 * 2 * 7 / 8 = 350.",
      hints = { "2 * 7 / 8 = 1.75" },
      wrong = {
        { "200", "multiply by 2 * (n - 1) / n" },
        { "400", "the factor is 2 * 7 / 8, not 2" },
        { "175", "the factor is 2 * 7 / 8 = 1.75" },
        { "114", "multiply by the factor; do not divide" },
      },
    },
  },
}
