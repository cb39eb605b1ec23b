-- status: 0
-- prints: no id of this run has these bytes: bytes must come from id:bytes(), other bytes need --unsafe
-- prints: PASS
-- An id names the address to which NCCL connects: neither bytes that are made up nor those of an own id
-- with another address become an id.
scenario { ranks = 2, world = false }

local function refused(bytes)
    local e = expect.error("usage", nccl.unique_id, bytes)
    return e and e.message
end

local own = nccl.unique_id():bytes()
print(refused(("\0"):rep(128)))
refused(("\x41"):rep(128))
for at = 1, 128, 7 do
    refused(own:sub(1, at - 1) .. string.char(own:byte(at) ~ 1) .. own:sub(at + 1))
end
refused(own:reverse())
refused(own:sub(2) .. "\0")
for _, wrong in ipairs { "", own:sub(2), own .. "\0", own .. own } do
    refused(wrong)
end
expect.that(nccl.unique_id(own) == nccl.unique_id(own))

-- The bytes of another rank's id are of this run.
store:set("bytes of " .. rank, own)
local theirs = store:get("bytes of " .. 1 - rank)
expect.that(nccl.unique_id(theirs):bytes() == theirs and theirs ~= own)
-- They become an id by nothing else.
expect.error("usage", nccl.init_rank, nranks, theirs, rank)
expect.error("usage", C.ncclCommInitRank, nranks, theirs, rank)
