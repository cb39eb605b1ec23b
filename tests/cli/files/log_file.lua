scenario { ranks = 1, env = { NCCL_DEBUG_FILE = "elsewhere" } }
