package retrieval

import (
	"encoding/json"
	"fmt"
	"strconv"
)

// Signal is one named part of a hit's score.
//
// The channels exact, semantic, task and scene, and activation (the rel of the child that raised its lesson or
// strategy) have the measured value as Raw, the evidence s in 0 to 1 as Calibrated, and Weight·s as Contribution. words
// and meaning are what the Raw of semantic is computed from.
//
// confidence, recurrence, age (Raw in days) and closeness are factors. Calibrated is the factor on Rel, and
// Contribution is how much it raised the score, negative where it lowered it. recurrence is the certainty that this is
// the very test again. Each time the case was seen, it restores up to half of what confidence still takes.
//
// diversity has the likeness to earlier hits as Raw. Its Contribution affects the choice only, not the score.
type Signal struct {
	Name         string
	Raw          float64
	Calibrated   float64
	Weight       float64
	Contribution float64
}

// Signals are the signals of a hit. In JSON they are an object with their names as keys.
type Signals []Signal

// MarshalJSON writes an object with one member for each signal, in their order.
func (s Signals) MarshalJSON() ([]byte, error) {
	b := []byte{'{'}
	for i, x := range s {
		if i > 0 {
			b = append(b, ',')
		}
		v, err := json.Marshal(struct {
			Raw          float64 `json:"raw"`
			Calibrated   float64 `json:"calibrated"`
			Weight       float64 `json:"weight"`
			Contribution float64 `json:"contribution"`
		}{x.Raw, x.Calibrated, x.Weight, x.Contribution})
		if err != nil {
			return nil, fmt.Errorf("signal %s: %w", x.Name, err)
		}
		b = append(strconv.AppendQuote(b, x.Name), ':')
		b = append(b, v...)
	}
	return append(b, '}'), nil
}
