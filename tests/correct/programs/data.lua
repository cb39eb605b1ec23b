-- What ranks put in and what must come out, as formulas: numbers so small that every type holds every sum
-- and product of eight ranks exactly.
local data = {}

local tiny = { float8e4m3 = true, float8e5m2 = true } -- whole numbers up to 8 are exact
local coarse = { float16 = true, bfloat16 = true, float8e4m3 = true, float8e5m2 = true }

data.types = { "int8", "uint8", "int32", "uint32", "int64", "uint64", "float16", "float32", "float64",
               "bfloat16", "float8e4m3", "float8e5m2" }
data.ops = { "sum", "prod", "max", "min", "avg", "premulsum" }
data.counts = { 0, 1, 1, 2, 3, 5, 8, 17, 64, 257 }

-- Whether NCCL takes the operator: of one rank it cannot scale 8-bit floats.
function data.works(dtype, op, nranks)
    return not (tiny[dtype] and nranks == 1 and (op == "avg" or op == "premulsum"))
end

-- Element i (from 1) of what rank m (from 0) of a communicator puts in.
function data.input(c, m, i)
    local k = m * 5 + i * 3 + c.salt
    if c.op == "prod" then
        return k % 4 == 0 and 2 or 1
    elseif c.op == "avg" then -- the same sum as if each put in 2
        if tiny[c.dtype] then return 2 end
        return m == 0 and c.nranks + 1 or 1
    elseif tiny[c.dtype] then
        return k % 2
    end
    return k % 8
end

function data.scalar(c, m)
    return c.op == "premulsum" and m == 0 and c.nranks < 7 and 2 or 1
end

-- Element i of the reduction; nil where it depends on roundings.
function data.reduced(c, i)
    if c.op == "avg" then
        local exact = c.dtype:find("int") or c.nranks & (c.nranks - 1) == 0 or not coarse[c.dtype]
        return exact and 2 or nil
    end
    local value
    for m = 0, c.nranks - 1 do
        local x = data.input(c, m, i) * data.scalar(c, m)
        if value == nil then value = x
        elseif c.op == "prod" then value = value * x
        elseif c.op == "max" then value = math.max(value, x)
        elseif c.op == "min" then value = math.min(value, x)
        else value = value + x end
    end
    return value
end

-- Element i of what rank m has afterwards. Of each move: how many times `count` elements it reads and writes,
-- `n` = as many as there are ranks, and whether the root alone does.
data.moves = {
    all_reduce     = { reads = 1, writes = 1, reduces = true },
    reduce         = { reads = 1, writes = 1, reduces = true, root_writes = true },
    reduce_scatter = { reads = "n", writes = 1, reduces = true },
    all_gather     = { reads = 1, writes = "n" },
    broadcast      = { reads = 1, writes = 1, root_reads = true },
    all_to_all     = { reads = "n", writes = "n" },
    gather         = { reads = 1, writes = "n", root_writes = true },
    scatter        = { reads = "n", writes = 1, root_reads = true },
}
data.move_names = { "all_reduce", "reduce", "reduce_scatter", "all_gather", "broadcast", "all_to_all",
                    "gather", "scatter" }

function data.output(c, m, i)
    local block, at = (i - 1) // math.max(c.count, 1), (i - 1) % math.max(c.count, 1) + 1
    if c.move == "all_reduce" or c.move == "reduce" then return data.reduced(c, i)
    elseif c.move == "reduce_scatter" then return data.reduced(c, m * c.count + i)
    elseif c.move == "all_gather" or c.move == "gather" then return data.input(c, block, at)
    elseif c.move == "broadcast" then return data.input(c, c.root, i)
    elseif c.move == "all_to_all" then return data.input(c, block, m * c.count + at) end
    return data.input(c, c.root, m * c.count + i) -- scatter
end

return data
