import argparse

parser = argparse.ArgumentParser()
parser.add_argument("--device", default="cuda", choices=["cuda", "cpu"], help="cuda or cpu")
parser.add_argument("--vendor", default="cuda")
DEVICE = "cuda"
VENDOR = "cuda"
