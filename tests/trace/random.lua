-- A correct program of random splits, shrinks, collectives and destroys; random.sh replaces SEED.
scenario { ranks = 5 }

local state = SEED * 7919 + 17
local function draw(n) -- equal on all ranks
    state = (state * 1103515245 + 12345) % 2147483648
    return (state >> 8) % n
end

local x = cuda.buffer("float32", 64)
local live = { { comm = world, ranks = { 0, 1, 2, 3, 4 } } }

local function split(from)
    local own, parts = nil, {}
    for _, r in ipairs(from.ranks) do
        local color = draw(4) -- 3: none
        parts[color] = parts[color] or {}
        table.insert(parts[color], r)
        own = r == rank and color or own
    end
    local comm = own and from.comm:split { color = own == 3 and nccl.NOCOLOR or own }
    for color = 0, 2 do
        if parts[color] then
            table.insert(live, { ranks = parts[color], comm = own == color and comm or nil })
        end
    end
end

local function shrink(from)
    if #from.ranks < 3 then return end
    from.out = from.out or draw(#from.ranks) -- one rank: those that other shrinks leave out would not wait for each other
    local out, rest, inside = from.out, {}, false
    for i, r in ipairs(from.ranks) do
        if i - 1 ~= out then
            table.insert(rest, r)
            inside = inside or r == rank
        end
    end
    stream:sync()
    table.insert(live, { ranks = rest, comm = inside and from.comm:shrink { out } or nil })
end

local function reduce(on)
    for _ = 1, 1 + draw(2) do
        if on.comm then on.comm:all_reduce(x, { count = 4 }) end
    end
end

local function destroy(at)
    stream:sync()
    if live[at].comm then live[at].comm:destroy() end
    table.remove(live, at)
end

for _ = 1, 12 do
    local what, at = draw(8), 1 + draw(#live)
    if what < 2 then split(live[at])
    elseif what == 2 then shrink(live[at])
    elseif what == 3 and #live > 1 then destroy(draw(2) == 0 and 1 or at) -- world, if it is there
    else reduce(live[at])
    end
end
stream:sync()
