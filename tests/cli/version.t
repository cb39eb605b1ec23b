# The version that the simulator is: declared, or given, which wins.
$ ncclscript run version.lua
> [0] 22809	2.28.9	unknown result code	true	false
> PASS  version.lua  1 rank, sim, seed 0: 0 results verified, <*> calls
$ ncclscript run --nccl-version 2.30.7 version.lua
> [0] 23007	2.30.7	timeout	true	true
> PASS  version.lua  1 rank, sim, seed 0: 0 results verified, <*> calls

$ ncclscript run --nccl-version 2.27.3 version.lua
! ncclscript run: `--nccl-version 2.27.3`: expected `2.28.9`, `2.29.2`, `2.29.7`, `2.30.3`, `2.30.4` or `2.30.7`
! <*>try `ncclscript run --help`
? 2
$ ncclscript run unknown_version.lua
! unknown_version.lua:1:39: error: sim: nccl = `2.27.3`: the simulator can be NCCL 2.28.9, 2.29.2, 2.29.7, 2.30.3, 2.30.4 or 2.30.7
!     1 | scenario { ranks = 1, sim = { nccl = "2.27.3" } }
!       |                                       ^^^^^^
? 2

# What a version lacks is absent, and what needs a newer one is left out.
$ ncclscript run --nccl-version 2.28.9 absent.lua
> ERROR  absent.lua  1 rank, sim, seed 0
>     rank 0  ncclParamBind: ncclParamBind is not in the library that was opened: NCCL has it since 2.30.4    line 3
>   code  3 | C.ncclParamBind("NCCL_DEBUG")
? 4
$ ncclscript run --nccl-version 2.28.9 newer.lua
> SKIPPED  newer.lua  1 rank, sim, seed 0: needs NCCL 2.29.0 or newer, this is 2.28.9
? 77
$ ncclscript run --nccl-version 2.29.2 newer.lua
> PASS  newer.lua  1 rank, sim, seed 0: <*>

@ jq
$ ncclscript run --format json version.lua newer.lua --nccl-version 2.28.9 | jq -c '[.verdict, .nccl]'
> ["pass","2.28.9"]
> ["skipped","2.28.9"]
$ ncclscript run --format json version.lua newer.lua | jq -c '[.verdict, .nccl]'
> ["pass","2.28.9"]
> ["pass","2.30.7"]

# A failure of CUDA's inside NCCL: the version decides what the thread's last error of CUDA is then.
$ ncclscript run --nccl-version 2.28.9 cuda_error.lua | head -n 2
> [0] 1	Cuda failure 'invalid resource handle'	400
> [1] 1	Cuda failure 'invalid resource handle'	400
$ ncclscript run --nccl-version 2.29.7 cuda_error.lua | head -n 2
> [0] 1	Cuda failure 'invalid resource handle'	0
> [1] 1	Cuda failure 'invalid resource handle'	0

# Several ranks on one GPU.
$ ncclscript run --nccl-version 2.29.7 shared_gpu.lua | head -n 1
> [0] false	ncclInvalidUsage	Duplicate GPU detected : rank 0 and rank 1 both on CUDA device 10000
$ ncclscript run shared_gpu.lua | grep -o 'false.*MULTI_RANK.*=1' | wc -l
> 2
$ NCCL_MULTI_RANK_GPU_ENABLE=1 ncclscript run shared_gpu.lua
> [0] true	false	false
> [1] true	false	false
> PASS  <*>
$ NCCL_MULTI_RANK_GPU_ENABLE=1 ncclscript run --nccl-version 2.29.7 shared_gpu.lua | grep -c Duplicate
> 2
$ NCCL_MULTI_RANK_GPU_ENABLE=1 NCCL_NVLS_ENABLE=1 ncclscript run shared_gpu.lua | grep -c 'ncclInvalidUsage	NCCL_NVLS_ENABLE'
> 2
