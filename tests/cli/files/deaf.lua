scenario { ranks = 2, about = "tells that it is there, and does not end" }
if rank == 0 then
  io.open("told", "w"):close()
end
print(("a"):rep(2000):find((".-"):rep(30) .. "b"))
