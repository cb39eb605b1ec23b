-- prints: NCCL_IB_HCA differs between ranks of world
-- prints: offer different numbers of network devices
scenario { ranks = 4, devices = 2, env = { [2] = { NCCL_IB_HCA = "mlx5_0" }, [0] = { NCCL_IB_HCA = "mlx5_0,mlx5_1" },
                                         [1] = { NCCL_IB_HCA = "mlx5_2,mlx5_3" } } }
world:all_reduce(cuda.buffer("float32", 4):fill(1))
stream:sync()
