# At the prompt the line ends, or the run when there is no room to say so; the program does not.
# command: repl --memory 64M
# status: 0
# prints: the memory budget of 64 MiB (--memory) is used up
# prints: "still here"
@0 for i = 1, 1e9 do store:set("key" .. i, i) end
:reset -n 1
"still here"
