package meter

import "github.com/memtree/memtree/llm"

// Price is the price of a million tokens, in any one currency.
type Price struct {
	In  float64 `json:"in"`
	Out float64 `json:"out"`
}

// Of returns the cost of the tokens of u.
func (p Price) Of(u llm.Usage) float64 {
	return (float64(u.InputTokens)*p.In + float64(u.OutputTokens)*p.Out) / 1e6
}
