-- status: 2
-- command: check --plan
-- prints: env: 'NCCL_DEBUG_FILE' needs --unsafe
-- Editors check strangers' files.
scenario { ranks = 1, env = { NCCL_DEBUG = "INFO", NCCL_DEBUG_FILE = "/tmp/ncclscript-escape.log" } }
