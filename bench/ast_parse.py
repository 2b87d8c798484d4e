#!/usr/bin/env python3
"""Parses every .py file of a folder with CPython's `ast`, as the measure to beat.

usage: ast_parse.py FOLDER
"""
import ast
import sys
import warnings

from target import python_files

warnings.simplefilter("ignore")                  # of the code's own invalid escapes
for path in python_files(sys.argv[1]):
    with open(path, "rb") as source:
        ast.parse(source.read())
