scenario { ranks = 1, params = { n = 0 }, matrix = { n = { 1, 2, 3, 4 } } }

print("case", param.n)
if param.n == 2 then
    os.execute("kill -9 $PPID")
end
