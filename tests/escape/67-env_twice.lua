-- status: 2
-- prints: is declared twice
-- A second declaration.
scenario { ranks = 1 }
scenario { ranks = 1, env = { NCCL_NET_PLUGIN = "any" } }
