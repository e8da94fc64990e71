package ledger

import (
	"fmt"
	"github.com/memtree/memtree/tree"
	"math"
)

// Shape is what the labels of a team show about the shapes of its verdicts: lengths of texts, shares of hedges and
// such, in the order of package risk. It has numbers alone, no text and no hash of a text.
type Shape struct {
	Observed  bool      `json:"observed"`  // of verdicts with an observation; false: of those without
	Verdicts  int       `json:"verdicts"`  // with a known truth
	Mean      []float64 `json:"mean"`      // of each number
	Deviation []float64 `json:"deviation"` // its standard deviation
	Passes    []float64 `json:"passes"`    // its weight in verdicts that pass, in log-odds of a wrong one for a deviation
	Fails     []float64 `json:"fails"`     // its weight in verdicts that fail
}

// Limits on a Shape.
const (
	LeastShaped  = 50  // verdicts; from fewer little can be learned, and more of each of them
	maxShape     = 64  // numbers
	mostOfShape  = 1e3 // of a mean or a deviation
	mostOfWeight = 4   // of a weight
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
