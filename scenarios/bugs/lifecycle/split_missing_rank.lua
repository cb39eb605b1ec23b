scenario {
  about   = "a rank wants no part in the split and leaves it out; NOCOLOR is the way to say so",
  params  = { culprit = 0 },
  matrix  = { ranks = { 3, 4, 8 }, culprit = { 0, 2 } },
  bug     = { entry = "H4", thread = "pytorch/pytorch#81291",
              nccl = "all who called split stand in it for ever" },
  outcome = function(run)
    return { hang = { why = "skipped-call", culprit = run.param.culprit, waiting = "others",
                      comm = "world" }, findings = 1 }
  end,
}

-- Every rank of world has to call split, also those that will be in no communicator.
if rank ~= param.culprit then
  world:split { color = 0 }
end
