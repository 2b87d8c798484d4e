import argparse

parser = argparse.ArgumentParser()
parser.add_argument("--device", default="npu", choices=["npu", "cpu"], help="cuda or cpu")
parser.add_argument("--vendor", default="cuda")
DEVICE = "npu"
VENDOR = "cuda"
