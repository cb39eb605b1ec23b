-- memory = "written": nothing is watched any more; "apart": one allocation has never been written; "carried": all
-- that the all-reduces move has never been written.
scenario {
    ranks = 8, params = { times = 1000, memory = "written" },
    about = "all-reduces of 1024 elements while the simulator watches for unwritten memory",
}
local x = cuda.buffer("float32", 1024)
local other = cuda.buffer("float32", 1024)
if param.memory ~= "carried" then x:fill(1) end
if param.memory == "written" then other:fill(1) end
for _ = 1, param.times do
    world:all_reduce(x, { op = "max" })
    stream:sync()
end
