-- What is freed can be taken again, in any order and number.
-- command: run --memory 64M
-- status: 0
scenario { ranks = 1 }
for i = 1, 200 do
    local x = cuda.buffer("uint8", 48 << 20):fill(i % 100)
    expect.equal(x[i], i % 100)
    x:free()
end
