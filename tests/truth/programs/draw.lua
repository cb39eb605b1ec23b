-- Numbers that all ranks draw alike: each has the same generator, and draws in the same order.
local state = 1

local draw = {}

function draw.start(seed)
    state = seed * 2 + 1
    for _ = 1, 8 do draw.below(2) end
end

-- A number from 0 to n - 1.
function draw.below(n)
    state = state ~ (state >> 12)
    state = state ~ (state << 25)
    state = state ~ (state >> 27)
    return ((state * 0x2545F4914F6CDD1D) >> 33) % n
end

function draw.chance(one_in)
    return draw.below(one_in) == 0
end

function draw.pick(list)
    return list[draw.below(#list) + 1]
end

-- Of this rank alone.
function draw.here(one_in)
    return math.random(one_in) == 1
end

-- The numbers from 0 to n - 1 in any order.
function draw.order(n)
    local list = {}
    for i = 1, n do
        local at = draw.below(i) + 1
        list[i] = list[at]
        list[at] = i - 1
    end
    return list
end

return draw
