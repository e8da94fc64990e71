package look

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/memtree/memtree/internal/judgment"
	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/prompts"
	"github.com/memtree/memtree/tree"
)

// visible returns what a reader can look at: what the agent saw and did, and what failed. "" means that there is
// nothing to look at. The calls of tools that were recorded with the judgment are evidence, a line each; its texts are
// claims.
func visible(e *tree.Evaluation) string {
	calls, _ := split(judgment.Decode(e.Judgment))
	parts := []string{strings.TrimSpace(e.Observation), calls}
	if e.Evidence != nil {
		var steps []string
		for _, s := range e.Evidence.Steps {
			line := s.Title
			if s.Failed {
				line += " (failed)"
			}
			steps = append(steps, line)
		}
		parts = append(parts, strings.Join(steps, "\n"))
	}
	return strings.TrimSpace(strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), "\n"))
}

// split returns the calls of tools in a judgment, a numbered line each, and what is left of it.
func split(judged any) (calls string, rest any) {
	o, isObject := judged.(map[string]any)
	list, _ := judgment.ActionsIn(judged)
	if !isObject || len(list) == 0 {
		return "", judged
	}
	var b strings.Builder
	for i, a := range list {
		var args []string
		for _, name := range slices.Sorted(maps.Keys(a.Args)) {
			args = append(args, name+": "+a.Args[name])
		}
		fmt.Fprintf(&b, "%d. %s(%s)\n", i+1, a.Name, strings.Join(args, ", "))
	}
	o = maps.Clone(o)
	maps.DeleteFunc(o, func(name string, v any) bool { return judgment.IsActionField(name) && judgment.Actions(v) != nil })
	return strings.TrimSpace(b.String()), o
}

// Limits of the selection from long evidence, in characters unless named otherwise.
const (
	mostPiece    = 400
	mostSelected = 1 << 18 // bytes of evidence that are looked through: the first quarter of it and the last three
	headPart     = 6       // a sixth of what is shown is the beginning, a third the end
	tailPart     = 3
)

// selected returns what of long evidence a reader is shown: the beginning, the end, and of the middle the pieces that
// have the rarest terms of task and claim. A gap is marked.
func selected(evidence, about string) string {
	const most = prompts.MaxEvidence
	if utf8.RuneCountInString(evidence) <= most {
		return evidence
	}
	if len(evidence) > mostSelected {
		evidence = strings.ToValidUTF8(evidence[:mostSelected/4]+"\n"+evidence[len(evidence)-mostSelected/4*3:], "")
	}
	ps := pieces(evidence)
	take := make([]bool, len(ps))
	left := most - fill(ps, take, 0, 1, most/headPart) - fill(ps, take, len(ps)-1, -1, most/tailPart)
	for _, i := range byRelevance(ps, about) {
		if n := ps[i].length + len(withheld) + 1; !take[i] && n <= left {
			take[i], left = true, left-n
		}
	}
	var b strings.Builder
	for i, p := range ps {
		switch {
		case take[i]:
			b.WriteString(p.text)
		case i == 0 || take[i-1]:
			b.WriteString(withheld + "\n")
		}
	}
	return strings.TrimSpace(b.String())
}

// piece is a line of evidence, or a part of a long one.
type piece struct {
	text   string
	length int // in characters
}

func pieces(s string) (out []piece) {
	for line := range strings.Lines(s) {
		for line != "" {
			part := first(line, mostPiece)
			if at := strings.LastIndexAny(part, " \t"); len(part) < len(line) && at > len(part)/2 {
				part = part[:at+1]
			}
			out = append(out, piece{part, utf8.RuneCountInString(part)})
			line = line[len(part):]
		}
	}
	return out
}

// first returns the first n characters of a text.
func first(s string, n int) string {
	for at := range s {
		if n == 0 {
			return s[:at]
		}
		n--
	}
	return s
}

// fill takes pieces from one end, as many as fit, and returns their length.
func fill(ps []piece, take []bool, from, step, most int) (length int) {
	for i := from; i >= 0 && i < len(ps) && length+ps[i].length <= most && !take[i]; i += step {
		take[i], length = true, length+ps[i].length
	}
	return length
}

// byRelevance returns the pieces that have terms of a text, the most relevant first; of equal ones the latest.
func byRelevance(ps []piece, about string) []int {
	asked := text.TokenSet(about)
	in := make([][]string, len(ps))
	pieces := map[string]float64{} // with the word
	for i := range ps {
		ws := text.Tokens(ps[i].text)
		slices.Sort(ws)
		in[i] = slices.DeleteFunc(slices.Compact(ws), func(w string) bool { return !asked[w] })
		for _, w := range in[i] {
			pieces[w]++
		}
	}
	score, order := make([]float64, len(ps)), []int{}
	for i := range ps {
		for _, w := range in[i] {
			score[i] += math.Log(float64(len(ps)+1) / pieces[w])
		}
		if score[i] > 0 {
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(score[b], score[a]), cmp.Compare(b, a)) })
	return order
}
