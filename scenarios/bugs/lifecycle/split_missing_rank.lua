scenario {
  ranks   = 4,
  about   = "rank 2 wants no part in the split and leaves it out; NOCOLOR is the way to say so",
  outcome = { hang = { culprit = 2, waiting = { 0, 1, 3 } } },
}

-- Every rank of world has to call split, also those that will be in no communicator.
if rank ~= 2 then
  world:split { color = 0 }
end
