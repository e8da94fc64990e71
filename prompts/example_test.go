package prompts_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/llm/llmtest"
	"github.com/memtree/memtree/prompts"
)

// From a wrong verdict to an analysis: the prompt, the model's answer, and one repair
// worded in the language of the prompt.
func Example() {
	set, err := prompts.Load(nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	in := prompts.AnalyseInput{
		Lang: "zh", Prompt: "检查订单总额是否正确。", Judgment: "通过", GroundTruth: "总额少算了运费", Direction: "false_pass",
		ErrorTypes: []prompts.AnalyseType{{ID: "content_validation_error", Name: "内容校验错误"}},
	}
	model := llmtest.NewScript( // in place of a real one
		llmtest.Step{Text: `{"specificError":"It did not add the shipping fee.","errorReason":"?",` +
			`"errorType":"content_validation_error","avoidanceStrategy":"","confidence":1}`},
		llmtest.Step{Text: `{"specificError":"没有核对总额。","errorReason":"只看了提示，没有逐行相加。",` +
			`"errorType":"content_validation_error","avoidanceStrategy":"当页面显示总额时，把各行与运费相加后核对；两者相等才是正确的。","confidence":0.8}`},
	)
	p, err := set.Analyse(in)
	if err != nil {
		fmt.Println(err)
		return
	}
	var analysis prompts.AnalyseOutput
	request := llm.Request{Name: p.Name(), System: p.System, Prompt: p.Text, Schema: p.Schema,
		Repair: func(answer string, problems []string) (string, error) {
			again, err := set.Repair(prompts.RepairInput{Lang: in.Lang, Task: p.Text, Answer: answer, Problems: problems})
			return again.Text, err
		}}
	_, err = llm.Ask(context.Background(), model, request, func(raw json.RawMessage) error {
		var err error
		analysis, err = in.Read(raw)
		return err
	})
	fmt.Println(err, len(model.Requests()))
	fmt.Println(analysis.AvoidanceStrategy)
	// Output:
	// <nil> 2
	// 当页面显示总额时，把各行与运费相加后核对；两者相等才是正确的。
}
