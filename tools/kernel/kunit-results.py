#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
#
# kunit-results.py FILE - "passed NAME", "failed NAME" or "skipped NAME" a line,
# of each test in what kunit.py --json has written; one with parameters is as
# many tests, "NAME: PARAMETER"

import json
import sys

RESULTS = {"PASS": "passed", "SKIP": "skipped"}


def show(group, name):
    for case in group["test_cases"]:
        print(RESULTS.get(case["status"], "failed"), name + case["name"])
    for sub in group["sub_groups"]:
        show(sub, name + sub["name"] + ": ")


with open(sys.argv[1], encoding="utf-8") as file:
    for suite in json.load(file)["sub_groups"]:
        show(suite, "")
