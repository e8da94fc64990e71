package meter

import (
	"context"
	"strings"

	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/llm/decide"
)

// DecideStage is the stage under which a Meter counts calls of a model of package decide.
const DecideStage = "decide"

// decider is a Decider whose calls a Meter counts.
type decider struct {
	decide.Decider
	meter *Meter
	price func(llm.Usage) float64
}

// Decider returns d as a Decider whose calls m counts and limits like those of its generator. price returns the cost of
// tokens; nil: unknown, so Options.Cost does not limit these calls.
func (m *Meter) Decider(d decide.Decider, price func(llm.Usage) float64) decide.Decider {
	return decider{d, m, price}
}

// Decide asks the model, if the limits allow it.
func (d decider) Decide(
	ctx context.Context, input string, questions []decide.DecisionQuestion,
) (out decide.Answers, err error) {
	var asked strings.Builder
	for i := range questions {
		asked.WriteString(questions[i].Ask)
	}
	most := Most(llm.Request{System: asked.String(), Prompt: input, MaxTokens: len(questions)})
	c := counted{stage: DecideStage, price: d.price, most: most}
	err = d.meter.count(ctx, c, func(ctx context.Context) (llm.Usage, error) {
		var err error
		out, err = d.Decider.Decide(ctx, input, questions)
		return out.Usage, err
	})
	d.meter.row(err)
	return out, err
}
