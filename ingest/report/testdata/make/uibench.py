"""Makes results of the GUI benchmark: uibench.py OUT CASES JUDGED. The cases are its own, the verdicts those of a real
model on its pages; the harness that writes raw-results.json is not run, its shape is that of its artifacts.ts."""
import json
import pathlib
import sys

out = pathlib.Path(sys.argv[1]) / "uibench"
cases = [json.loads(line) for line in open(sys.argv[2], encoding="utf-8")]
judged = {r["case_id"]: r for r in map(json.loads, open(sys.argv[3], encoding="utf-8"))}


def write(name, results, shown):
    (out / name).mkdir(parents=True, exist_ok=True)
    dump = lambda file, data: (out / name / file).write_text(json.dumps(data, ensure_ascii=False, indent=2), encoding="utf-8")
    dump("raw-results.json", results)
    dump("test-case-config.json", [{"case_id": c["case_id"], "ui_scene_id": c["scene"]["id"], "route_path": c["scene"]["route"],
        "case_type": c["scene"]["type"], "case_category": "反例" if c["ground_truth"]["has_defect"] else "正例",
        "prompt": c["prompt"], "ground_truth": c["ground_truth"]} for c in shown])


def result(c, agent, n, success=True, raw=None):
    said = judged[c["case_id"]]["judgment"]["verdict"] == "fail"
    return {"caseId": c["case_id"], "sceneId": c["scene"]["id"], "agentName": agent, "result": {"hasDefect": said,
        "defects": [{"type": "other", "description": "页面存在缺陷"}] if said else [], "rawOutput": raw, "errors": []},
        "durationMs": 1000, "startedAt": f"2026-01-02T04:{n:02}:00.000Z", "finishedAt": f"2026-01-02T04:{n:02}:01.000Z",
        "success": success}


known = [c for c in cases if c["case_id"] in judged]
write("one-agent", [result(c, "stagehand", i) for i, c in enumerate(known[:8])], known[:8])
write("two-agents", [result(c, a, i) for i, c in enumerate(known[8:11]) for a in ("browser-use", "stagehand")], known[8:12])
write("broken", [result(known[12], "stagehand", 1, False), result(known[13], "stagehand", 2),
                 result(known[14], "stagehand", 3)], known[12:14])
write("midscene", [result(known[15], "midscene", 1, raw={"agent": "midscene", "status": "error", "error": "总价与小计之和不符",
    "llmEvaluation": {"isAgentCorrect": True, "matchingAnalysis": "检出了缺陷"}, "evaluationUsed": "llm"}),
    result(known[16], "midscene", 2, raw={"agent": "midscene", "status": "success", "output": "[]",
    "llmEvaluation": {"isAgentCorrect": False, "confidence": 0.5}, "evaluationUsed": "fallback"})], known[15:17])
