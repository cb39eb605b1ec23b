-- command: run --memory 64M
-- status: 7
-- prints: the memory budget of 64 MiB (--memory) is used up before the run
scenario { ranks = 1, about = ("x"):rep(100 << 20) .. "y" }
