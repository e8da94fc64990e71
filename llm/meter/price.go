package meter

import "github.com/memtree/memtree/llm"

// Price is what a million tokens cost, in any one currency.
type Price struct {
	In  float64 `json:"in"`  // price of a million tokens that the model reads
	Out float64 `json:"out"` // price of a million tokens that the model writes
}

// Of returns the cost of the tokens in u.
func (p Price) Of(u llm.Usage) float64 {
	return (float64(u.InputTokens)*p.In + float64(u.OutputTokens)*p.Out) / 1e6
}
