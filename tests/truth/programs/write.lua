-- Writes programs of a family and their mutants: `count` from number `first` on into folder `out`, beside a
-- file of the truth, a line of JSON for each.
scenario { ranks = 1, world = false, params = { first = 1, count = 10, out = ".", family = "random" } }

local draw, workloads, mutations = require "draw", require "workloads", require "mutations"
local training, bugs = require "training", require "bugs"
local model, text, dumps, changes = require "model", require "text", require "dumps", require "changes"

-- `often`: drawn more often, as people report them; `tries`: until a mutant does not pass.
local families = {
    random = { draw = workloads.draw, bugs = mutations, tries = 1,
               often = { "leave_out", "leave_out", "leave_out", "add", "add", "fewer", "fewer", "comm", "count", "peer" } },
    training = { draw = training.draw, bugs = bugs, tries = 20,
                 often = { "uneven_data", "uneven_data", "skipped_call", "skipped_call", "unused_parameter", "log_by_one",
                           "checkpoint_by_one", "wrong_group", "skipped_message", "early_exit", "wrong_peer",
                           "fewer_microbatches" } },
}
local family = assert(families[param.family], "no such family")

local names = {}
for name in pairs(family.bugs) do names[#names + 1] = name end
table.sort(names)
table.move(family.often, 1, #family.often, #names + 1, names)

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
    return family.draw()
end

-- The mutant, its truth, its verdict and what its threads did.
local function mutant(number, try)
    local p, truth, name = drawn(number), nil, nil
    for _ = 1, try do draw.below(2) end
    for _ = 1, 20 do
        name = draw.pick(names)
        truth = family.bugs[name](p, sizes(p))
        if truth then break end
    end
    if not truth then return end
    truth.name, truth.ranks = name, truth.ranks or { truth.rank }
    return p, truth, model.verdict(p)
end

-- A mutation knows of the loops around a statement, but not how often its function is called. Calls of a group that
-- does not end are made all the same.
local function size_of(truth, base, p)
    if truth.ungrouped then return truth.size end
    if truth.size == "calls" then return math.max(1, total(base, truth.rank) - total(p, truth.rank)) end
    local counted = changes.count(model.calls(base), model.calls(p), truth.ranks)
    return math.max(truth.size or 1, counted)
end

-- A culprit does not come to make a communicator that it makes in the correct program.
local function leaves_unmade(truth, before, now)
    for _, rank in ipairs(truth.ranks) do
        if model.made(now, rank) < model.made(before, rank) then return true end
    end
    return false
end

local function quoted(list)
    local all = {}
    for i, word in ipairs(list) do all[i] = ('"%s"'):format(word) end
    return table.concat(all, ",")
end

local written = {}

local function keep(number, base, p, truth, verdict, threads)
    local file, before, before_threads = ("%d"):format(number), model.verdict(base)
    write(("%s/correct/%s.lua"):format(param.out, file), text.of(base, { "model: " .. before }))
    write(("%s/mutant/%s.lua"):format(param.out, file), text.of(p, {
        ("%s of rank %s: %s, %s"):format(truth.name, table.concat(truth.ranks, " "), verdict,
                                         table.concat(truth.classes, " or ")) }))
    local dumped = dumps.can(p, truth, verdict, threads)
    if dumped then
        local folder = ("%s/dumps/%s"):format(param.out, file)
        assert(os.execute(("mkdir -p '%s'"):format(folder)))
        for m = 0, p.n - 1 do write(("%s/rank_%d"):format(folder, m), dumps.of(p, threads, m)) end
    end
    written[#written + 1] = ('{"file":"%s","workload":"%s","shape":"%s","ranks":%d,"mutation":"%s","verdict":"%s",' ..
        '"culprits":[%s],"classes":[%s],"size":%d,"correct":"%s","dumped":%s,"gone":%s,"unmade":%s}'):format(file,
        p.workload or "random", p.name, p.n, truth.name, verdict, table.concat(truth.ranks, ","),
        quoted(truth.classes), size_of(truth, base, p), before, dumped, truth.gone or false,
        leaves_unmade(truth, before_threads, threads))
end

for number = param.first, param.first + param.count - 1 do
    for try = 0, family.tries - 1 do
        local p, truth, verdict, threads = mutant(number, try)
        if verdict and (family.tries == 1 or verdict ~= "pass") then
            keep(number, drawn(number), p, truth, verdict, threads)
            break
        end
    end
end
write(param.out .. "/truth", table.concat(written, "\n") .. "\n")
