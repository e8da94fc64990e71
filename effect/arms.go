package effect

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/memtree/memtree/internal/stat"
)

// Recorded is one run of an external experiment: one line of a file that ParseRecorded reads.
type Recorded struct {
	Study   string `json:"study"`             // name of the experiment; only arms of one study are compared
	Case    string `json:"case_id"`           // id of the test case
	Series  string `json:"series,omitempty"`  // distinguishes repetitions of one arm
	Arm     string `json:"arm"`               // name of the treatment, such as none
	Attempt int    `json:"attempt,omitempty"` // from 1; 0 is treated as 1
	Correct *bool  `json:"correct"`           // whether the run was right
}

// maxLine is the longest line of a file of arms, in bytes.
const maxLine = 1 << 16

// ParseRecorded reads a file of recorded runs, one JSON object a line. It ignores empty lines and unknown fields. The
// error names the first line that cannot be used.
func ParseRecorded(file []byte) ([]Recorded, error) {
	var out []Recorded
	n := 0
	for line := range bytes.Lines(file) {
		n++
		line = bytes.TrimSpace(line)
		if len(line) == 0 {
			continue
		}
		if len(line) > maxLine {
			return nil, fmt.Errorf("line %d has %d bytes; a recorded run has a few hundred", n, len(line))
		}
		var r Recorded
		if err := json.Unmarshal(line, &r); err != nil {
			return nil, fmt.Errorf("line %d %s; "+
				`write {"study": "…", "case_id": "…", "arm": "…", "correct": true}`, n, unread(line, err))
		}
		if field := r.missing(); field != "" {
			return nil, fmt.Errorf("line %d: field %q is missing or empty; "+
				"a recorded run says study, case_id, arm and correct", n, field)
		}
		if r.Attempt < 0 {
			return nil, fmt.Errorf("line %d: field \"attempt\" is %d; use 1 for the first try", n, r.Attempt)
		}
		out = append(out, r)
	}
	return out, nil
}

// unread explains why a line could not be read, without terms of the JSON library.
func unread(line []byte, err error) string {
	if kind, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		met, _, _ := strings.Cut(kind.Value, " ") // the value of a number contains its digits
		if kind.Field == "" {
			return "is no object but is of type " + met
		}
		return fmt.Sprintf("has a field %q that is of type %s", kind.Field, met)
	}
	var syntax *json.SyntaxError
	if !errors.As(err, &syntax) {
		return "is not JSON"
	}
	var ignored any
	if errors.Is(json.NewDecoder(bytes.NewReader(line)).Decode(&ignored), io.ErrUnexpectedEOF) {
		return "is not JSON: it ends too early"
	}
	at := max(0, min(int(syntax.Offset)-1, len(line)))
	return fmt.Sprintf("is not JSON: at byte %d comes %.24q", at+1, line[at:])
}

func (r *Recorded) missing() string {
	switch {
	case r.Study == "":
		return "study"
	case r.Case == "":
		return "case_id"
	case r.Arm == "":
		return "arm"
	case r.Correct == nil:
		return "correct"
	}
	return ""
}

// Pair compares two arms of a study on the same cases, after the same number of attempts at each.
type Pair struct {
	Study   string  `json:"study"`
	A       string  `json:"a"`       // name of the first arm
	B       string  `json:"b"`       // name of the second arm
	N       int     `json:"n"`       // cases compared: those for which both arms have the same attempt
	Attempt int     `json:"attempt"` // highest attempt at which a case was compared
	OnlyA   int     `json:"onlyA"`   // cases right only in A
	OnlyB   int     `json:"onlyB"`   // cases right only in B
	Lift    float64 `json:"lift"`    // share of right cases in B minus that in A
	Low     float64 `json:"low"`     // lower end of the 95 % interval of Lift
	High    float64 `json:"high"`    // upper end of the 95 % interval of Lift
	E       float64 `json:"e"`       // evidence that the arms differ; 20 or more is proof
}

// Claimed reports whether E proves that the arms differ.
func (p *Pair) Claimed() bool { return p.E >= 1/Alpha }

// Compare compares every two arms of each study. The result is sorted by study and then by arm, with the arm [None]
// first. If a study has several series of an arm, each series counts as an arm named "arm (series)", and a series of
// None is sorted like any other arm. For each case Compare uses the latest attempt that both arms have; if several runs
// have the same attempt, it uses the first. Correct must be set in every run.
func Compare(runs []Recorded) []Pair {
	var out []Pair
	for study, arms := range studies(runs) {
		names := slices.Sorted(maps.Keys(arms))
		slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(rank(a), rank(b)) })
		for i, a := range names {
			for _, b := range names[i+1:] {
				out = append(out, compare(study, a, b, arms))
			}
		}
	}
	return out
}

func rank(arm string) int {
	if arm == string(None) {
		return 0
	}
	return 1
}

// attempts maps an attempt of a case to whether it was right.
type attempts map[int]bool

// studies yields every study, by name, with its cases by arm.
func studies(runs []Recorded) iter.Seq2[string, map[string]map[string]attempts] {
	series := map[[2]string]map[string]bool{}
	for _, r := range runs {
		k := [2]string{r.Study, r.Arm}
		if series[k] == nil {
			series[k] = map[string]bool{}
		}
		series[k][r.Series] = true
	}
	all := map[string]map[string]map[string]attempts{}
	for _, r := range runs {
		arm := r.Arm
		if len(series[[2]string{r.Study, r.Arm}]) > 1 {
			arm += " (" + r.Series + ")"
		}
		cases := deeper(deeper(all, r.Study), arm)
		n := max(1, r.Attempt)
		if _, twice := deeper(cases, r.Case)[n]; !twice {
			cases[r.Case][n] = *r.Correct
		}
	}
	return func(yield func(string, map[string]map[string]attempts) bool) {
		for _, study := range slices.Sorted(maps.Keys(all)) {
			if !yield(study, all[study]) {
				return
			}
		}
	}
}

// deeper returns the map under a key, and creates it if necessary.
func deeper[K comparable, V any, M ~map[K]V](m map[string]M, key string) M {
	if m[key] == nil {
		m[key] = M{}
	}
	return m[key]
}

func compare(study, a, b string, arms map[string]map[string]attempts) Pair {
	p := Pair{Study: study, A: a, B: b}
	for name, x := range arms[a] {
		y := arms[b][name]
		last := 0
		for n := range x {
			if _, both := y[n]; both {
				last = max(last, n)
			}
		}
		if last == 0 {
			continue
		}
		p.N++
		p.Attempt = max(p.Attempt, last)
		switch {
		case x[last] && !y[last]:
			p.OnlyA++
		case y[last] && !x[last]:
			p.OnlyB++
		}
	}
	p.measure()
	return p
}

// measure computes lift, interval and evidence. The interval adds one case to each kind in which the arms differ (D. G.
// Bonett and R. M. Price, J. Educ. Behav. Stat. 37, 2012). The evidence bets on the cases in which they differ: if the
// arms are alike, each is right alone equally often, and a bet on every share, with equal stakes, has the expected
// value 1.
func (p *Pair) measure() {
	n, x, y := float64(p.N), float64(p.OnlyB), float64(p.OnlyA)
	if p.N == 0 {
		p.Low, p.High, p.E = -1, 1, 1
		return
	}
	p.Lift = (x - y) / n
	more, less := (x+1)/(n+2), (y+1)/(n+2)
	d := more - less
	half := stat.Z * math.Sqrt((more+less-d*d)/(n+2))
	p.Low, p.High = max(-1, d-half), min(1, d+half)
	top, _ := math.Lgamma(x + 1)
	bottom, _ := math.Lgamma(y + 1)
	all, _ := math.Lgamma(x + y + 2)
	p.E = expCapped((x+y)*math.Ln2 + top + bottom - all)
}
