BACKEND = "hccl"
