-- A correct program, drawn by a number that all ranks have. It ends well, with nothing to report, all its
-- results are verified, and where one of them is spoilt that is found.
scenario {
    ranks = 4,
    params = { program = 0, spoil = false, processes = true, graphs = true }, -- processes: each rank is one
    matrix = { ranks = { 1, 2, 3, 4, 5, 8 } },
    outcome = function(run) return run.param.spoil and { wrong = true } or "pass" end,
}

local draw, memory, teams, steps = require "draw", require "memory", require "teams", require "steps"
local extras = require "extras"

local number = param.program
if number == 0 then
    if rank == 0 then store:set("program", math.random(1 << 30)) end
    number = store:get("program")
end
draw.start(number)
steps.spoil.wanted = param.spoil
teams.world()

local function settle()
    memory.settle(draw.pick { "streams", "device", "events", "queries" }, not param.spoil)
end

local function change_teams()
    local what, team = draw.below(5), draw.pick(teams.all)
    if what == 0 then
        teams.init()
    elseif what < 3 and #teams.all < 6 and not team.shrunk then
        teams.split(team)
    elseif what == 3 and #teams.all < 6 and not team.shrunk then
        teams.shrink(team)
    elseif #teams.all > 1 then
        settle()
        teams.destroy(1 + draw.below(#teams.all))
    end
end

local function step()
    local what = draw.below(14)
    if what < 6 then
        steps.prepare(steps.draw_call(draw.pick(teams.all)))()
    elseif what < 8 then
        local list, able = {}, teams.that(draw.chance(3))
        for i = 1, #able > 0 and 1 + draw.below(4) or 0 do
            list[i] = steps.draw_call(draw.pick(able), false, true)
        end
        steps.group(list)
    elseif what < 10 then
        change_teams()
    elseif what == 10 then
        settle()
    else
        extras.step()
    end
end

for _ = 1, 4 + draw.below(16) do step() end
if steps.spoil.wanted and not steps.spoil.chosen then -- there is one at last
    extras.last(teams.all)
end
settle()
