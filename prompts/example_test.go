package prompts_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/llm/llmtest"
	"github.com/memtree/memtree/prompts"
)

// From wrong verdicts to what was missed: the prompt, the model's answer, and one repair
// worded in the language of the prompt.
func Example() {
	set := prompts.Load()
	in := prompts.AnalyseInput{
		Lang: "zh", Checks: []prompts.AnalyseCheck{{ID: "recompute", Line: "重新计算合计与数量"}},
		Runs: []prompts.AnalyseRun{{
			Lang: "zh", Direction: "false_pass", Task: "检查订单总额是否正确。", Claimed: "通过", Truth: "总额少算了运费",
		}},
	}
	model := llmtest.NewScript( // in place of a real one
		llmtest.ScriptStep{Text: `{"runs":[{"run":1,"misses":[{"how":"没有核对总额。","check":"add_up","what":[],"instead":""}]}]}`},
		llmtest.ScriptStep{Text: `{"runs":[{"run":1,"misses":[{"how":"没有核对总额。","check":"recompute","what":["总额"],` +
			`"instead":"把各行与运费相加后再与总额核对。"}]}]}`},
	)
	p, err := set.Analyse(in)
	if err != nil {
		fmt.Println(err)
		return
	}
	var read []prompts.AnalyseOutput
	request := llm.Request{Name: p.Name(), System: p.System, Prompt: p.Text, Schema: p.Schema,
		Repair: func(answer string, problems []string) (string, error) {
			again, err := set.Repair(prompts.RepairInput{Lang: in.Lang, Task: p.Text, Answer: answer, Problems: problems})
			return again.Text, err
		}}
	_, err = llm.Ask(context.Background(), model, request, func(raw json.RawMessage) error {
		var err error
		read, err = in.Read(raw)
		return err
	})
	fmt.Println(err, len(model.Requests()))
	fmt.Println(read[0].Misses[0].Check, read[0].Misses[0].Instead)
	// Output:
	// <nil> 2
	// recompute 把各行与运费相加后再与总额核对。
}
