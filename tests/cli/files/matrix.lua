scenario {
    params = { dtype = "float32", n = 16, skip = false },
    matrix = { ranks = { 2, 4 }, dtype = { "float32", "int8" }, n = { 1, 1000 } },
    exclude = { { ranks = 4, n = 1 } },
}

local x = cuda.buffer(param.dtype, param.n):fill(1)
if not (param.skip and rank == 1 and nranks == 4) then
    world:all_reduce(x)
end
stream:sync()
