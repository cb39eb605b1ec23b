scenario { ranks = 1, params = { n = 0 }, matrix = { n = { 1, 2, 3 } } }

if param.n == 2 then
    io.open("told", "w"):close()
    while true do end
end
