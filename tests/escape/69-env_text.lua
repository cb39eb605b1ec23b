-- status: 2
-- prints: NCCL_NET must be a text
-- never: [0] ran
-- A value that becomes a path when it is asked for its text.
scenario { ranks = 1, env = {
  NCCL_NET = setmetatable({}, { __tostring = function() return "/tmp/net.so" end,
                                __name = "/tmp/net.so" }) } }
print("ran")
