"""Makes logs of Inspect with models that answer by rules: inspect_logs.py OUT."""
import os
import sys

import tiktoken


class Letters:
    """Counts letters, so that no table of tokens is fetched."""

    def encode(self, text, **_):
        return list(text.encode())


tiktoken.get_encoding = tiktoken.encoding_for_model = lambda *_: Letters()

from inspect_ai import Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelOutput, get_model
from inspect_ai.scorer import exact, includes, match, model_graded_qa
from inspect_ai.solver import generate

out = os.path.join(sys.argv[1], "inspect")
os.makedirs(out, exist_ok=True)
os.environ["INSPECT_LOG_MODEL_API"] = "false"


def model(*said):
    return get_model("mockllm/model", custom_outputs=[ModelOutput.from_content("mockllm/model", s) for s in said])


def run(name, task, model, form="json", **more):
    folder = os.path.join(out, "tmp")
    logs = eval(task, model=model, log_dir=folder, log_format=form, display="none", log_samples=True, **more)
    os.replace(logs[0].location.removeprefix("file://"), os.path.join(out, f"{name}.{form}"))
    for left in os.listdir(folder):
        os.remove(os.path.join(folder, left))
    os.rmdir(folder)


capitals = [Sample(id="france", input="What is the capital of France?", target="Paris"),
            Sample(id="德国", input="德国的首都是哪里？", target="柏林")]
totals = [Sample(id=1, input="The cart has 2 and 3, the total is 6. Is it right? Answer pass or fail.", target="fail"),
          Sample(id=2, input="购物车有 2 和 3，总价 5。合计正确吗？答 pass 或 fail", target="pass")]
run("match", Task(name="capitals", dataset=capitals, solver=generate(), scorer=match()), model("Paris", "慕尼黑"))
run("match-eval", Task(name="capitals", dataset=capitals, solver=generate(), scorer=includes()), model("Paris", "柏林"), "eval")
run("judge", Task(name="totals", dataset=totals, solver=generate(), scorer=exact()), model("pass", "pass"))
run("epochs", Task(name="totals", dataset=totals, solver=generate(), scorer=exact()), model("fail", "pass", "pass", "pass"), epochs=2)
run("graded", Task(name="capitals", dataset=capitals, solver=generate(), scorer=model_graded_qa(
    model=model("It is.\nGRADE: C", "答案不是柏林。\nGRADE: I"))), model("It is Paris.", "慕尼黑"))
run("error", Task(name="capitals", dataset=capitals, solver=generate(), scorer=match()), model("Paris"), fail_on_error=False)
run("epochs-eval", Task(name="totals", dataset=totals, solver=generate(), scorer=exact()), model("fail", "pass", "pass", "pass"),
    "eval", epochs=2)
run("scorers", Task(name="capitals", dataset=capitals, solver=generate(), scorer=[match(), includes()]), model("Paris", "柏林"))
