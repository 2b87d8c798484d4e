#!/bin/bash
# CUDA_VISIBLE_DEVICES is set here
export ASCEND_RT_VISIBLE_DEVICES=0,1
HCCL_SOCKET_IFNAME=eth0 PYTORCH_NPU_ALLOC_CONF=max_split_size_mb:64 python train.py
NCCL_IB_DISABLE=1 python train.py
export NCCL_BLOCKING_WAIT=1
echo "waits: $NCCL_BLOCKING_WAIT"
