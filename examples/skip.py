"""A training loop with a bug: in the last step, rank 2 has no batch and skips an all-reduce. The job hangs.

    TORCH_NCCL_TRACE_BUFFER_SIZE=2000 TORCH_NCCL_DUMP_ON_TIMEOUT=1 \
        TORCH_NCCL_DEBUG_INFO_TEMP_FILE=dumps/nccl_trace_rank_ torchrun --nproc-per-node 4 skip.py

needs PyTorch and four GPUs. After 30 seconds PyTorch stops the job, and each rank leaves a dump. The folder
examples/dumps has such dumps: `ncclscript diagnose examples/dumps` explains them.
"""
import datetime
import os

import torch
import torch.distributed as dist

STEPS = 3


def batches_of(rank, step):
    return [] if rank == 2 and step == STEPS - 1 else [torch.ones(64, device="cuda")]


def train_step(gradients, batches):
    dist.all_reduce(gradients)
    for batch in batches:
        loss = batch.mean()
        dist.all_reduce(loss)


def main():
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl", timeout=datetime.timedelta(seconds=30))
    rank = dist.get_rank()
    weights = torch.zeros(1024, 1024, device="cuda")
    dist.broadcast(weights, src=0)
    for step in range(STEPS):
        train_step(torch.zeros_like(weights), batches_of(rank, step))
    print("rank", rank, "is done", weights.sum().item())
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
