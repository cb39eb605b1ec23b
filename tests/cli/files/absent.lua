scenario { ranks = 1 }

C.ncclParamBind("NCCL_DEBUG")
