scenario { ranks = 8, params = { n = 50 }, about = "a stream and a buffer for each of many all-reduces" }
local x, s = {}, {}
for i = 1, param.n do
    s[i] = cuda.stream()
    x[i] = cuda.buffer("float32", 2)
end
for _ = 1, 2 do
    for i = 1, param.n do world:all_reduce(x[i], { stream = s[i] }) end
end
for i = 1, param.n do s[i]:sync() end
