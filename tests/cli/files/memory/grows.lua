scenario { ranks = 1, params = { n = 1e9 } }
for i = 1, param.n do store:set("key" .. i, i) end
