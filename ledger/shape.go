package ledger

import (
	"fmt"
	"github.com/memtree/memtree/tree"
	"math"
)

// Shape is what package risk learned from a team's labels about the form of wrong verdicts, such as lengths of texts
// and shares of hedging phrases. It holds only numbers, no text and no hash of a text. Each of the four lists has one
// number for each property, in an order that package risk defines.
type Shape struct {
	Observed  bool      `json:"observed"`  // learned from verdicts with an observation; false: from verdicts without
	Verdicts  int       `json:"verdicts"`  // number of labelled verdicts that the shape was learned from
	Mean      []float64 `json:"mean"`      // mean of each property
	Deviation []float64 `json:"deviation"` // standard deviation of each property
	Passes    []float64 `json:"passes"`    // weights for passing verdicts: log-odds of being wrong per deviation
	Fails     []float64 `json:"fails"`     // weights for failing verdicts, likewise
}

// Limits of a Shape.
const (
	LeastShaped  = 50  // least number of verdicts that a Shape is learned from
	maxShape     = 64  // length of a list
	mostOfShape  = 1e3 // a mean or deviation
	mostOfWeight = 4   // a weight
)

func checkShapes(shapes []Shape) error {
	if len(shapes) > 2 || len(shapes) == 2 && (shapes[0].Observed || !shapes[1].Observed) {
		return &tree.FieldError{Field: "risk.shapes", Problem: "are not one for each of observed false and true"}
	}
	for i := range shapes {
		if err := shapes[i].check(); err != nil {
			return err
		}
	}
	return nil
}

func (s *Shape) check() error {
	if s.Verdicts < LeastShaped || s.Verdicts > maxCounted {
		return &tree.FieldError{Field: "risk.shapes.verdicts",
			Problem: fmt.Sprintf("is %d; use %d to %d", s.Verdicts, LeastShaped, maxCounted)}
	}
	n := len(s.Mean)
	for _, f := range []struct {
		name        string
		of          []float64
		least, most float64
	}{
		{"mean", s.Mean, -mostOfShape, mostOfShape}, {"deviation", s.Deviation, 1e-3, mostOfShape},
		{"passes", s.Passes, -mostOfWeight, mostOfWeight}, {"fails", s.Fails, -mostOfWeight, mostOfWeight},
	} {
		if len(f.of) != n || n == 0 || n > maxShape {
			return &tree.FieldError{Field: "risk.shapes." + f.name,
				Problem: fmt.Sprintf("has %d numbers; each list has as many, 1 to %d", len(f.of), maxShape)}
		}
		for _, x := range f.of {
			if math.IsNaN(x) || x < f.least || x > f.most {
				return &tree.FieldError{Field: "risk.shapes." + f.name,
					Problem: fmt.Sprintf("has %g; use %g to %g", x, f.least, f.most)}
			}
		}
	}
	return nil
}
