"""Makes the tables and the files that need a mapping: tables.py FOLDER. The workbooks are openpyxl's."""
import csv
import datetime
import json
import pathlib
import sys

import openpyxl
import pandas

out = pathlib.Path(sys.argv[1])
(out / "csv").mkdir(parents=True, exist_ok=True)
(out / "map").mkdir(parents=True, exist_ok=True)
HEAD = ["id", "prompt", "judgment", "ground_truth", "reason", "at", "scene.id", "route", "attempt"]
ROWS = [
    ["order-1", "Check that the order total equals the sum of its lines", "pass", "fail", "Nobody added up the lines.",
     "2026-01-28 09:00:00", "orders", "/orders/42", 1],
    ["order-2", 'Search for "lamp, green"; the list shows it', "fail", "fail", "", "2026-01-28T09:05:00Z", "search", "/search", 1],
    ["order-3", "第一行\n第二行：检查合计", '{"verdict": "pass", "reason": "合计正确"}', "", "", "2026/1/28 9:10", "购物车", "/cart", 2],
    ["", "Check that the refund is shown", "pass", "", "", "", "", "", ""],
    ["", "Check that the refund is shown", "pass", "", "", "", "", "", ""],
]


def cell(v):
    v = str(v)
    return '"' + v.replace('"', '""') + '"' if any(c in v for c in ',;\t"\n') else v


def table(sep, rows, end="\r\n"):
    return "".join(sep.join(map(cell, r)) + end for r in rows)


(out / "csv/plain.csv").write_bytes(table(",", [HEAD, *ROWS]).encode())
(out / "csv/excel-gbk.csv").write_bytes(table(";", [["编号", "提示词", "判定", "期望", "备注", "时间"],
    ["甲1", "结算页：总价等于商品小计之和", "通过", "不通过", "没有核对合计", "2026-01-28 09:00"],
    ["甲2", "登录页：密码错误时提示“密码错误”", "不通过", "不通过", "", "2026-01-28 09:05"],
    ["甲3", "订单页：导出按钮可用", "通过", "", "", "2026/1/28 9:10"]]).encode("gbk"))
(out / "csv/excel-utf16.tsv").write_bytes(table("\t", [HEAD, *ROWS]).encode("utf-16"))
(out / "csv/bom-semicolons.csv").write_bytes(b"\xef\xbb\xbfsep=;\r\n" + table(";", [HEAD, *ROWS[:3]]).encode())
(out / "csv/bad-lines.csv").write_bytes((table(",", [HEAD, ROWS[0]]) + 'x,"not closed,pass\r\n' +
    table(",", [["order-9", "", "pass"], ROWS[1], ["order-8", "What is it?", "pass", "", "", "yesterday"]])).encode())

book = openpyxl.Workbook()
sheet = book.active
sheet.append([n.replace("_", " ").title() if n == "ground_truth" else n for n in HEAD])
for r in ROWS:
    r = [None if v == "" else v for v in r]
    if r[0] == "order-1":
        r[5] = datetime.datetime(2026, 1, 28, 9, 0)
    sheet.append(r)
book.create_sheet("other").append(["not read"])
book.save(out / "csv/openpyxl.xlsx")

frame = pandas.DataFrame([r for r in ROWS if r[0]], columns=HEAD)
frame.to_csv(out / "csv/pandas.csv", index=False)
frame.to_csv(out / "csv/pandas-gbk.csv", index=False, sep=";", encoding="gb18030", quoting=csv.QUOTE_ALL)
frame.to_csv(out / "csv/pandas-utf16.csv", index=False, encoding="utf-16")
frame.to_excel(out / "csv/pandas.xlsx", index=False)

tests = [
    {"uid": 17, "title": "Open the cart and check the total", "outcome": {"status": "PASSED", "seen": "total 12"},
     "expected": "FAILED", "start": 1769590800000},
    {"uid": 18, "title": "结算页：总价等于商品小计之和", "outcome": {"status": "FAILED", "seen": "总价 3998"}, "start": 1769590860},
    {"uid": 19, "title": "is not run", "outcome": {"status": "SKIPPED"}},
    {"uid": 20, "outcome": {"status": "PASSED"}},
]
(out / "map/nested.json").write_text(json.dumps({"build": "b7", "note": {"x": [1, 2]}, "suites": [
    {"name": "cart", "tests": tests[:2]}, {"name": "orders", "tests": tests[2:]}]}, ensure_ascii=False, indent=1))
(out / "map/nested.yaml").write_text("""# Where the runs are, and what of them is what.
runs: suites[].tests[]
fields:
  id: uid
  prompt: title
  judgment: outcome.status
  ground_truth: expected
  observation: outcome.seen
  at: start
  scope.suite: ^.name
  scope.build: ^.build
  scope.product: =shop
words:
  PASSED: pass
  FAILED: fail
  SKIPPED: ""
""")
(out / "map/pytest-json-report.yaml").write_text("""# The report of pytest-json-report.
runs: tests[]
fields:
  prompt: nodeid
  judgment: outcome
  observation: call.crash.message
  at: ^.created
words: {passed: pass, failed: fail, xfailed: pass, error: fail, rerun: "", skipped: ""}
""")
(out / "map/jest.yaml").write_text("""# What jest --json writes.
runs: testResults[].assertionResults[]
fields:
  prompt: fullName
  judgment: status
  observation: failureMessages[0]
words: {passed: pass, failed: fail, pending: "", todo: ""}
""")
