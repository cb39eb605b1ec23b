scenario { ranks = 1, sim = { nccl = "2.28.9" } }

local code, text = nccl.version()
print(code, text, nccl.error_string(8), C.has("ncclSend"), C.has("ncclParamBind"))
