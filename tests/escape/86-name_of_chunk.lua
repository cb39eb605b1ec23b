-- status: 3
-- prints: HANG
-- never: root:
-- A chunk that says it is /etc/passwd: the report of the hang quotes the lines of calls.
scenario { ranks = 2 }
load("local x = ... if rank == 0 then world:all_reduce(x) end stream:sync()",
     "@/etc/passwd")(cuda.buffer("float32", 8))
