package retrieval

import (
	"encoding/json"
	"fmt"
	"strconv"
)

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
