#!/usr/bin/env python3
"""Parses every .py file of a folder with tree-sitter's Python binding, one core, nothing else.

usage: tree_sitter_parse.py FOLDER
"""
import sys

import tree_sitter
import tree_sitter_python

from target import python_files

parser = tree_sitter.Parser(tree_sitter.Language(tree_sitter_python.language()))
for path in python_files(sys.argv[1]):
    with open(path, "rb") as source:
        parser.parse(source.read())
