-- How many calls of a rank have to change for one program to become another: one for a call that is added, left
-- out, moved past its neighbour or that has other arguments, two for one that is of another kind.
local changes = {}

local arguments = { "count", "dtype", "redop", "root", "peer" }

local function kind(call) return call.op .. " " .. call.comm.id end

local function signature(call)
    local words = { kind(call) }
    for _, name in ipairs(arguments) do words[#words + 1] = tostring(call[name]) end
    return table.concat(words, " ")
end

local function cost(a, b)
    if signature(a) == signature(b) then return 0 end
    return kind(a) == kind(b) and 1 or 2
end

-- Edits between two lists of calls, with neighbours that change places.
local function distance(from, to)
    local rows = { [0] = {} }
    for j = 0, #to do rows[0][j] = j end
    for i = 1, #from do
        rows[i] = { [0] = i }
        for j = 1, #to do
            local best = math.min(rows[i - 1][j] + 1, rows[i][j - 1] + 1, rows[i - 1][j - 1] + cost(from[i], to[j]))
            if i > 1 and j > 1 and cost(from[i], to[j - 1]) == 0 and cost(from[i - 1], to[j]) == 0 then
                best = math.min(best, rows[i - 2][j - 2] + 1)
            end
            rows[i][j] = best
        end
    end
    return rows[#from][#to]
end

-- `before` and `after`: rank -> calls.
function changes.count(before, after, ranks)
    local total = 0
    for _, rank in ipairs(ranks) do total = total + distance(before[rank] or {}, after[rank] or {}) end
    return math.max(1, total)
end

return changes
