-- A value that has no room is an error at its line, which a script can catch; the run goes on.
-- command: run --memory 64M
-- status: 0
-- prints: caught
scenario { ranks = 1 }
local text = ("x"):rep(4 << 20)
local ok, i = true, 0
while ok do
    i = i + 1
    ok = pcall(store.set, store, "key" .. i, text .. i)
end
expect.that(i > 2 and i < 16)
print("caught")
