# At the prompt the run is gone, and the program is not.
# command: repl --memory 64M
# status: 0
# prints: the memory budget of 64 MiB (--memory) is used up, and the run is gone
# prints: "still here"
@0 for i = 1, 1e9 do store:set("key" .. i, i) end
:reset -n 1
"still here"
