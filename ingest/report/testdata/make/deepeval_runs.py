"""Makes test runs of DeepEval with a judge that answers by rules: deepeval_runs.py OUT."""
import os
import pathlib
import shutil
import sys
import tempfile

out = pathlib.Path(sys.argv[1]).resolve() / "deepeval"
out.mkdir(parents=True, exist_ok=True)
work = tempfile.mkdtemp()
os.chdir(work)
os.environ.update(DEEPEVAL_TELEMETRY_OPT_OUT="YES", DEEPEVAL_RESULTS_FOLDER=work + "/results", ERROR_REPORTING="NO",
                  DEEPEVAL_DISABLE_PROGRESS_BAR="1", CI="1")

from deepeval import evaluate
from deepeval.evaluate.configs import AsyncConfig, CacheConfig, DisplayConfig, ErrorConfig
from deepeval.metrics import ExactMatchMetric, GEval
from deepeval.models import DeepEvalBaseLLM
from deepeval.test_case import LLMTestCase, LLMTestCaseParams


class Judge(DeepEvalBaseLLM):
    """Says 9 of whatever names Paris, and 2 of the rest."""

    def load_model(self):
        return self

    def generate(self, prompt, schema=None):
        if "broken" in prompt:
            raise RuntimeError("the judge is away")
        good = "Paris" in prompt
        said = {"score": 9 if good else 2, "reason": "The output names the capital." if good else "回答不是该国的首都。"}
        return schema(**said) if schema else __import__("json").dumps(said)

    async def a_generate(self, prompt, schema=None):
        return self.generate(prompt, schema)

    def get_model_name(self):
        return "rules"


def geval():
    return GEval(name="Correctness", evaluation_steps=["Check that the actual output names the capital"], model=Judge(),
                 evaluation_params=[LLMTestCaseParams.INPUT, LLMTestCaseParams.ACTUAL_OUTPUT], async_mode=False)


def run(name, cases, metrics):
    shutil.rmtree("results", ignore_errors=True)
    try:
        evaluate(cases, metrics, async_config=AsyncConfig(run_async=False), cache_config=CacheConfig(write_cache=False),
                 display_config=DisplayConfig(show_indicator=False, print_results=False),
                 error_config=ErrorConfig(ignore_errors=True))
    except Exception as e:
        print(name, e)
    file = max((f for f in pathlib.Path("results").rglob("*") if f.is_file()), key=lambda f: f.stat().st_size)
    shutil.copy(file, out / f"{name}.json")


capitals = [LLMTestCase(name="france", input="What is the capital of France?", actual_output="Paris", expected_output="Paris"),
            LLMTestCase(name="德国", input="德国的首都是哪里？", actual_output="慕尼黑", expected_output="柏林")]
totals = [LLMTestCase(input="The cart has 2 and 3, the total is 6. Is it right?", actual_output="pass", expected_output="fail"),
          LLMTestCase(input="购物车有 2 和 3，总价 5。合计正确吗？", actual_output="pass", expected_output="pass")]
run("geval", capitals, [geval()])
run("two-metrics", capitals, [geval(), ExactMatchMetric()])
run("judge", totals, [ExactMatchMetric()])
run("error", [LLMTestCase(input="broken", actual_output="Paris")], [geval()])
run("many", [LLMTestCase(name=f"sum {n}", input=f"{n} + {n}", actual_output=str(2 * n + n % 3 % 2), expected_output=str(2 * n))
             for n in range(12)], [ExactMatchMetric()])
