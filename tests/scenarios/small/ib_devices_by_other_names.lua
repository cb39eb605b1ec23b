-- never: NCCL_IB_HCA
-- Hosts have devices of other names, and a rank without the variable uses all.
scenario { ranks = 3, devices = 1, env = { [0] = { NCCL_IB_HCA = "mlx5_0,mlx5_1" }, [1] = { NCCL_IB_HCA = "mlx5_2,mlx5_3" } } }
world:all_reduce(cuda.buffer("float32", 4):fill(1))
stream:sync()
