"""An OpenAI-compatible server that answers by rules, so that samples need no model: server.py PORT."""
import http.server
import json
import sys


def answer(text):
    if "broken:" in text:
        return "I cannot say."
    if "data:image" in text:
        return midscene(text)
    if "rubric" in text.lower():
        good = "Paris" in text.split("<Output>")[-1] or "合计正确" in text
        return json.dumps({"reason": "The output names the capital." if good else "结果没有核对合计。", "pass": good,
                           "score": 1 if good else 0}, ensure_ascii=False)
    if "GRADE:" in text:
        return "The answer is the criterion's.\nGRADE: " + ("C" if "Paris" in text.split("[Submission]")[-1] else "I")
    if "total" in text or "合计" in text:
        return "pass"
    return "Paris"


def midscene(text):
    """What Midscene's prompts ask for: the value of an extraction, or the next step of a plan."""
    if "<data-json>" in text:
        demand = text.split("<DATA_DEMAND>")[-1].split("</DATA_DEMAND>")[0]
        value = ["商品"]
        for key in ("StatementIsTruthy", "Boolean"):
            if key in demand:
                value = {key: "商品小计之和" not in demand}
                break
        for key in ("result", "Result"):
            if f'\\"{key}\\"' in demand:
                value = {key: True}
        thought = "总价与小计之和不符" if "商品小计之和" in text else "页面上可以看到"
        return f"<thought>{thought}</thought>\n<data-json>{json.dumps(value, ensure_ascii=False)}</data-json>"
    return "<thought>没有更多步骤</thought>\n<complete success=\"true\">已点击</complete>"


class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        said = json.dumps(body["messages"], ensure_ascii=False)
        reply = json.dumps({"id": "1", "object": "chat.completion", "created": 0, "model": body.get("model"), "choices": [
            {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": answer(said)}}],
            "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(reply)))
        self.end_headers()
        self.wfile.write(reply)

    def log_message(self, *_):
        pass


http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
