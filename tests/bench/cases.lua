local many, few = {}, {}
for i = 1, 1000 do many[i] = i end
for i = 1, 100 do few[i] = "t" .. i end
scenario { params = { n = 0, t = "" }, matrix = { n = many, t = few }, about = "100 000 cases" }
