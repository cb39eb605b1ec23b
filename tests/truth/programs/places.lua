-- Where a program can be changed for one rank, and how reports may class what is changed.
local tree, draw = require "tree", require "draw"

local places = {}

-- ---- classes ----

-- By the call that is missing, or one too many; that of a rank which is gone is by the first call that misses it.
places.missed = { send = { "recv-without-send" }, recv = { "send-without-recv" },
                  signal = { "signal-missing", "signal-setup" }, put_signal = { "signal-missing", "signal-setup" } }
places.added = { send = { "send-without-recv" }, recv = { "recv-without-send" }, wait_signal = { "signal-missing" } }
places.gone = { "skipped-call", "recv-without-send", "send-without-recv", "host-wait", "signal-missing", "signal-setup" }

function places.is_message(node) return node.op == "send" or node.op == "recv" end

-- ---- places ----

-- Statements of these kinds: { list, at, node, loops, group }
function places.all(p, fits)
    local found = {}
    local function see(list, at, loops, group)
        local place = { list = list, at = at, node = list[at], loops = loops, group = group }
        if fits(place) then found[#found + 1] = place end
    end
    for _, body in ipairs(p.bodies) do tree.each(body, see) end
    for _, f in ipairs(p.functions) do
        tree.each(f.body, see, f.param and { { kind = "call", var = f.param, to = "2" } } or {})
    end
    return found
end

function places.calls(p, fits)
    return places.all(p, function(place)
        return place.node.kind == "call" and (not fits or fits(place.node, place))
    end)
end

-- The rank, in one round of the loops around, or in all of them: the outermost decides.
function places.condition(_, place, rank)
    local cond = "me == " .. rank
    place.times = 1
    for i, l in ipairs(place.loops) do
        local n = tonumber(l.to)
        if n and (i == 1 or draw.chance(2)) and n > 1 then
            cond = cond .. (" and %s == %d"):format(l.var, 1 + draw.below(n))
        elseif n then
            place.times = place.times * n
        end
    end
    return cond
end

-- A rank that reaches the place: conditions around are those of a pipeline.
function places.a_rank(p) return draw.below(p.n) end

function places.take(p, fits)
    local found = places.calls(p, fits)
    if #found == 0 then return nil end
    local place = draw.pick(found)
    local rank = places.a_rank(p)
    return place, rank, places.condition(p, place, rank)
end

function places.choose(cond, changed, as_it_was)
    return ("(%s and %s or %s)"):format(cond, changed, as_it_was)
end

function places.copy(node)
    local new = {}
    for key, value in pairs(node) do new[key] = value end
    return new
end

return places
