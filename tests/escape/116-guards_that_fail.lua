-- status: 124
-- prints: rank 0 computes without end at line 5: 10 s of processor time without a call of NCCL or CUDA
-- Few instructions, and each goes through much of C: 2000000000 of them would take most of an hour.
scenario { ranks = 1 }
while true do pcall(error, string.rep("x", 60000)) end
