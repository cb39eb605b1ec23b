# A call that the other rank never makes: the host comes back from it, unless the ranks exchange what
# they know at every call.
$ ncclscript run exchange.lua | head -n 4
> [0] the call is back
> HANG  exchange.lua  2 ranks, sim, seed 0: its cause is likely, not certain
>   communicator world, call 2: AllReduce float32 x 8 sum
>     rank 0  <*>
? 0
$ NCCL_CHECK_MODE=DEBUG_GLOBAL ncclscript run exchange.lua | head -n 3
> HANG  exchange.lua  2 ranks, sim, seed 0: its cause is likely, not certain
>   communicator world, call 2: AllReduce float32 x 8 sum
>     rank 0  waits in comm:all_reduce()<*>

# Where connections are made at init the first call does not wait for the other host.
$ ncclscript run connect.lua
> PASS  connect.lua  <*>
$ NCCL_RUNTIME_CONNECT=0 ncclscript run --set waits=false connect.lua
> PASS  connect.lua  <*>
$ NCCL_CUMEM_ENABLE=0 ncclscript run --set waits=false connect.lua
> PASS  connect.lua  <*>

# The network of the job is not that of the virtual hosts.
$ NCCL_SOCKET_IFNAME=ib0 ncclscript run pass.lua | head -n 2
> ERROR  pass.lua  <*>
>     rank 0  ncclGetUniqueId: ncclInvalidUsage: Bootstrap : no socket interface found (NCCL_SOCKET_IFNAME matches no interface of a virtual host, which has eth0 and lo)<*>
$ NCCL_SOCKET_IFNAME=^docker ncclscript run -q pass.lua
$ NCCL_COMM_ID=nowhere ncclscript run pass.lua | head -n 2
> ERROR  pass.lua  <*>
>     rank 0  ncclGetUniqueId: ncclInvalidArgument: Invalid NCCL_COMM_ID, please use format<*>

# Rank 0 serves NCCL_COMM_ID: without it the others try for a minute and give up.
$ NCCL_COMM_ID=head:1234 ncclscript run late_root.lua
> [1] ncclRemoteError	true
> PASS  late_root.lua  <*>
$ NCCL_COMM_ID=head:1234 NCCL_SOCKET_RETRY_CNT=100 ncclscript run --set waits=true late_root.lua
> [1] joined	true
> PASS  late_root.lua  <*>

# It makes one communicator after the other, and each is verified.
$ NCCL_COMM_ID=head:1234 ncclscript run again.lua
> PASS  again.lua  3 ranks, sim, seed 0: 9 results verified, <*> calls

# All ranks seem to be on one host, and two of them on one of its GPUs.
$ NCCL_HOSTID=same ncclscript run hosts.lua
> PASS  hosts.lua  <*>
$ ncclscript run hosts.lua | head -n 1
> WRONG  hosts.lua  <*>

# What the environment says wins over the configuration, and is never an error.
$ NCCL_COMM_BLOCKING=0 ncclscript run blocking.lua | grep -v PASS
> [0] 7
$ NCCL_COMM_BLOCKING=maybe ncclscript run blocking.lua | grep -v PASS
> [0] 0
$ NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=ENV NCCL_MAX_CTAS=100 NCCL_CTA_POLICY=9 ncclscript run blocking.lua | head -n 4
> host0:0:0 [0] NCCL INFO NCCL_MAX_CTAS set by environment to 100.
> host0:0:0 [0] NCCL INFO NCCL_CTA_POLICY set by environment to 9.
> host0:0:0 [0] NCCL INFO NCCL_CTA_POLICY: 9 is no valid value, leaving it set at 0
> host0:0:0 [0] NCCL INFO maxCTAs 100 is larger than the upper limit 64, cap it to 64
$ NCCL_NET=Foo ncclscript run blocking.lua | head -n 3
> [0] 5
> ERROR  blocking.lua  <*>
>     rank 0  <*>ncclInvalidUsage: Failed to initialize any NET plugin (virtual hosts have the networks Socket and IB)<*>
