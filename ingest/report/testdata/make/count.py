"""Counts the verdicts in the samples by what the tools' own summaries say, or by the tools' own words: count.py OUT.

It shares nothing with the readers. A row is report, pass, fail, none and truths. "none" are tests without a verdict:
skipped, or broken off.
"""
import csv
import json
import pathlib
import re
import sys
from collections import Counter
from xml.etree import ElementTree

from inspect_ai.log import read_eval_log_sample_summaries

out = pathlib.Path(sys.argv[1])


def junit(path):
    """The counts that the suites have of themselves. A test that ran again is there again, so names count once."""
    said = dict(re.findall(r"<!-- (tests|pass|fail|skipped|todo) (\d+) -->", path.read_text()))  # only Node says it so
    if said:
        return int(said["pass"]), int(said["fail"]), int(said["skipped"]) + int(said["todo"])
    root = ElementTree.parse(path).getroot()
    suites = [root] if root.tag == "testsuite" else root.findall("testsuite")
    n = Counter()
    for s in suites:
        own = [int(s.get(k) or 0) for k in ("tests", "failures", "errors", "skipped")]
        n.update({"all": own[0], "fail": own[1] + own[2], "none": own[3] + int(s.get("disabled") or 0)})
    reruns = len(re.findall(r"<(?:rerun|flaky)(?:Failure|Error)", path.read_text()))  # Surefire's suites count attempts
    n.subtract({"all": reruns, "fail": reruns})
    left_out = 0 if n["none"] else int(root.get("skipped") or 0)  # Mocha's reporter counts them and does not write them
    return n["all"] - n["fail"] - n["none"] - left_out, n["fail"], n["none"]


def playwright(path):
    s = json.loads(path.read_text())["stats"]
    return s["expected"] + s["flaky"], s["unexpected"], s["skipped"]


def allure(folder):
    last = {}
    for f in folder.glob("*-result.json"):
        r = json.loads(f.read_text())
        if r["historyId"] not in last or r["start"] > last[r["historyId"]]["start"]:
            last[r["historyId"]] = r
    n = Counter(r.get("status") for r in last.values())
    ends = n["passed"], n["failed"] + n["broken"]
    return *ends, len(last) - sum(ends)


def inspect(path):
    """The summaries of the samples, one score for each scorer."""
    n = Counter()
    for s in read_eval_log_sample_summaries(str(path)):
        values = [score.value for score in (s.scores or {}).values()]
        n.update("none" if s.error else {"C": "pass", "I": "fail"}.get(v, "none") for v in values or ["none"])
    return n["pass"], n["fail"], n["none"]


def deepeval(path):
    n = Counter()
    for case in json.loads(path.read_text())["testCases"]:
        for m in case["metricsData"]:
            n["none" if m.get("error") else "pass" if m["success"] else "fail"] += 1
    return n["pass"], n["fail"], n["none"]


def promptfoo(path):
    """Its own counts, where no model graded: then each grader is a run."""
    d = json.loads(path.read_text())
    s = d["results"]["stats"]
    graders = sum(c["assertion"]["type"] == "llm-rubric" for r in d["results"]["results"]
                  for c in (r.get("gradingResult") or {}).get("componentResults") or [])
    return None if graders else (s["successes"], s["failures"], s["errors"])


def midscene(path):
    """Summaries count themselves."""
    d = json.loads(path.read_text()) if path.suffix == ".json" else {}
    s = d.get("summary")
    if not s:
        return None
    if "passed" in s:
        return s["passed"], s["failed"], s["notRun"]
    none = sum((r.get("error") or "").startswith("Not executed") for r in d["results"])
    return s["successful"], s["total"] - s["successful"] - none, none


def mapped(path):
    """Jest and pytest-json-report count themselves."""
    d = json.loads(path.read_text()) if path.suffix == ".json" else {}
    if "numPassedTests" in d:
        return d["numPassedTests"], d["numFailedTests"], d["numPendingTests"] + d["numTodoTests"]
    if s := d.get("summary"):
        return s.get("passed", 0) + s.get("xfailed", 0), s.get("failed", 0) + s.get("error", 0), s.get("skipped", 0)
    return None


def main():
    w = csv.writer(sys.stdout, lineterminator="\n")
    w.writerow(["report", "pass", "fail", "none"])
    for kind, how in (("promptfoo", promptfoo), ("midscene", midscene), ("junit", junit), ("playwright", playwright), ("allure", allure), ("inspect", inspect), ("deepeval", deepeval),
                      ("map", mapped)):
        for path in sorted((out / kind).iterdir()):
            if counted := how(path):
                w.writerow([f"{kind}/{path.name}", *counted])


main()
