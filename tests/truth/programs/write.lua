-- Writes programs and their mutants: `count` from number `first` on into folder `out`, beside a file of the
-- truth, a line of JSON for each.
scenario { ranks = 1, world = false, params = { first = 1, count = 10, out = "." } }

local draw, workloads, mutations = require "draw", require "workloads", require "mutations"
local model, text, dumps = require "model", require "text", require "dumps"

local names = {}
for name in pairs(mutations) do names[#names + 1] = name end
table.sort(names)
-- What people report most is drawn most.
for _, name in ipairs { "leave_out", "leave_out", "leave_out", "add", "add", "fewer", "fewer", "comm", "count", "peer" } do names[#names + 1] = name end

local function write(path, content)
    local file = assert(io.open(path, "w"))
    assert(file:write(content))
    file:close()
end

local function sizes(p)
    local of = { world = p.n }
    for _, comm in ipairs(p.comms) do
        local all = model.communicators(p)[comm.name]
        for m = 0, p.n - 1 do
            local size = all[m] and #all[m].members or p.n
            of[comm.name] = math.min(of[comm.name] or size, size)
        end
    end
    return of
end

local function total(p, rank)
    local calls = model.calls(p)
    return calls and calls[rank] and #calls[rank] or 0
end

-- A program and its mutant are drawn from the same number.
local function drawn(number)
    draw.start(number)
    return workloads.draw()
end

local function quoted(list)
    local all = {}
    for i, word in ipairs(list) do all[i] = ('"%s"'):format(word) end
    return table.concat(all, ",")
end

local written = {}
for number = param.first, param.first + param.count - 1 do
    local p, base = drawn(number), drawn(number)
    local before = model.verdict(base)
    local truth, name
    for _ = 1, 20 do
        name = draw.pick(names)
        truth = mutations[name](p, sizes(p))
        if truth then break end
    end
    local verdict, threads
    if truth then verdict, threads = model.verdict(p) end
    if verdict then
        if truth.size == "calls" then
            truth.size = math.max(1, total(base, truth.rank) - total(p, truth.rank))
        end
        local file = ("%d"):format(number)
        write(("%s/correct/%s.lua"):format(param.out, file), text.of(base, { "model: " .. before }))
        write(("%s/mutant/%s.lua"):format(param.out, file), text.of(p, {
            ("%s of rank %d: %s, %s"):format(name, truth.rank, verdict, table.concat(truth.classes, " or ")) }))
        local dumped = dumps.can(p, name, verdict, threads)
        if dumped then
            local folder = ("%s/dumps/%s"):format(param.out, file)
            assert(os.execute(("mkdir -p '%s'"):format(folder)))
            for m = 0, p.n - 1 do write(("%s/rank_%d"):format(folder, m), dumps.of(p, threads, m)) end
        end
        written[#written + 1] = ('{"file":"%s","shape":"%s","ranks":%d,"mutation":"%s","verdict":"%s",' ..
            '"culprit":%d,"classes":[%s],"size":%d,"correct":"%s","dumped":%s}'):format(file, p.name, p.n, name,
            verdict, truth.rank, quoted(truth.classes), truth.size, before, dumped)
    end
end
write(param.out .. "/truth", table.concat(written, "\n") .. "\n")
