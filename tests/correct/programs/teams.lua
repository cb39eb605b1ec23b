-- Communicators, as all ranks know them: each rank has the same list, with a handle where it is a member.
local draw, memory = require "draw", require "memory"

local teams = { all = {} }

-- members: ranks of the run, in order of their ranks in it.
local function add(comm, members, polled)
    local team = { comm = comm, members = members, n = #members, polled = polled }
    for m, r in ipairs(members) do
        if r == rank then team.me = m - 1 end
    end
    team.stream = draw.chance(2) and stream or memory.stream()
    teams.all[#teams.all + 1] = team
    return team
end

-- A call of a non-blocking communicator is under way until it says that it is ready.
function teams.ready(team)
    if team.polled and team.comm then team.comm:wait_ready() end
end

-- Those that do not block, or those that do.
function teams.that(polled)
    local list = {}
    for _, team in ipairs(teams.all) do
        if team.polled == polled then list[#list + 1] = team end
    end
    return list
end

function teams.world()
    local members = {}
    for r = 0, nranks - 1 do members[r + 1] = r end
    return add(world, members, false)
end

-- A child is as its parent where nothing is said.
local function config(parent)
    local what = draw.below(3)
    local cfg = what > 0 and { blocking = what == 1 } or {}
    return cfg, cfg.blocking == false or cfg.blocking == nil and parent ~= nil and parent.polled
end

-- Parts by colour; in each the order is that of the keys.
function teams.split(parent)
    local colors, key = 1 + draw.below(2), draw.order(parent.n)
    local cfg, polled = config(parent)
    local whole = colors == 1
    local color = {}
    for m = 0, parent.n - 1 do
        color[m] = not whole and draw.chance(6) and -1 or draw.below(colors)
    end
    local made
    if parent.me then
        local options = { color = color[parent.me], key = key[parent.me + 1], blocking = cfg.blocking }
        made = parent.comm:split(options)
        teams.ready(parent)
    end
    for c = 0, colors - 1 do
        local members = {}
        for m = 0, parent.n - 1 do
            if color[m] == c then members[#members + 1] = m end
        end
        table.sort(members, function(a, b) return key[a + 1] < key[b + 1] end)
        local mine = parent.me and color[parent.me] == c
        for i, m in ipairs(members) do members[i] = parent.members[m + 1] end
        if #members > 0 then teams.ready(add(mine and made or nil, members, polled)) end
    end
end

function teams.shrink(parent)
    local cfg, polled = config(parent)
    local out, left, members = {}, {}, {}
    for m = 0, parent.n - 1 do
        if #out < parent.n - 1 and draw.chance(3) then
            out[#out + 1], left[m] = m, true
        else
            members[#members + 1] = parent.members[m + 1]
        end
    end
    if #out == 0 then return end
    local made
    if parent.me and not left[parent.me] then
        made = parent.comm:shrink(out, cfg)
        teams.ready(parent)
    end
    parent.shrunk = true -- those that were left out have counted one child less
    teams.ready(add(made, members, polled))
end

-- A communicator of its own id, of some of the ranks in any order.
local ids = 0
function teams.init()
    local members = draw.order(nranks)
    local cfg, polled = config()
    for _ = 1, draw.below(nranks) do members[#members] = nil end
    ids = ids + 1
    local key, comm = "id" .. ids, nil
    if members[1] == rank then store:set(key, nccl.unique_id()) end
    for m, r in ipairs(members) do
        if r == rank then comm = nccl.init_rank(#members, store:get(key), m - 1, cfg) end
    end
    teams.ready(add(comm, members, polled))
end

local function leave(team)
    if draw.here(2) or team.polled then
        team.comm:finalize()
        teams.ready(team)
    end
    team.comm:destroy()
end

-- The last destroy of a process may wait for all work of all its devices: where all ranks are in one process, none has any
-- until all have destroyed.
function teams.destroy(at)
    local team = table.remove(teams.all, at)
    if not param.processes then barrier() end
    if team.comm then leave(team) end
    if not param.processes then barrier() end
end

return teams
