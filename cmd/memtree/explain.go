package main

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/brief"
	"github.com/memtree/memtree/enhance"
	"github.com/memtree/memtree/fact"
	"github.com/memtree/memtree/internal/cli/say"
	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/knowledge"
	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/retrieval"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// nearOnes is the limit for the memories that are near the test.
const nearOnes = -1

func explainCommand(a *app) *cobra.Command {
	limit := 0
	c := &cobra.Command{
		Use:  "explain --prompt TEXT [flags]",
		Args: arguments(a.Voice, 0, 0, a.Say("no arguments (the prompt goes after --prompt)")),
	}
	q := newQueryFlags(a.Voice, c)
	c.Flags().IntVar(&limit, "limit", nearOnes,
		a.Say("how many memories to print, 0 for all; without it those that are near"))
	c.Flags().Lookup("limit").DefValue = "" // the text has it
	quarantined := false
	c.Flags().BoolVar(&quarantined, "quarantined", false, a.Say("ask the imports that wait for promotion, and them alone"))
	c.RunE = func(c *cobra.Command, _ []string) error {
		query, err := q.ask(c.Context(), a)
		if err != nil {
			return err
		}
		return runExplain(c.Context(), a, query, limit, quarantined)
	}
	return c
}

// considered is one memory that retrieval considered, as --json prints it.
type considered struct {
	ID        string             `json:"id"`
	Title     string             `json:"title"`
	Type      tree.Type          `json:"type"`
	ErrorType string             `json:"errorType"`
	Direction taxonomy.Direction `json:"direction"`
	Score     float64            `json:"score"`
	Rel       float64            `json:"rel"`
	Taken     bool               `json:"taken"`
	Code      retrieval.Code     `json:"code"` // names the reason
	Reason    string             `json:"reason"`
	Signals   retrieval.Signals  `json:"signals"`
	StandsOn  []string           `json:"standsOn,omitempty"` // cases of an experience, experiences of a strategy

	shownTitle string // Title in the language of the output
	sentence   string // the format of Reason
	args       []any
}

func runExplain(ctx context.Context, a *app, q memtree.Query, limit int, quarantined bool) error {
	return a.store.Read(ctx, func(m *memtree.Memory) error {
		q.Quarantined = quarantined
		x, err := m.Explain(ctx, q)
		if err != nil {
			return err
		}
		all, words := consideredOf(&x), enhance.NewWording(m.Taxonomy())
		for i := range all {
			n, err := m.Tree().Get(ctx, all[i].ID)
			if err != nil {
				return err
			}
			all[i].shownTitle = words.Shown(&n, a.Lang).Content.Title
			if all[i].Title = n.Content.Title; n.Type != tree.Case {
				all[i].StandsOn = n.Children
			}
		}
		if a.JSON {
			return a.PrintJSON(struct {
				memtree.Guidance
				Undecided  []enhance.ToldFact    `json:"undecided,omitempty"`
				FactsNear  []knowledge.FoundFact `json:"factsNear,omitempty"` // with why each is not given
				Considered []considered          `json:"considered"`
				Brief      *brief.Brief          `json:"brief,omitempty"` // a reader's choice for this test
			}{x.Guidance, x.Undecided, x.FactsNear, all, x.Brief})
		}
		return a.Print(explanationLines(a.Voice, &x, all, limit)...)
	})
}

// consideredOf merges the decisions of retrieval with those made later, when memories were left out of the text.
func consideredOf(x *memtree.Explanation) []considered {
	out := make([]considered, 0, len(x.Considered))
	for _, h := range x.Considered {
		c := considered{
			ID: h.ID, Type: h.Type, ErrorType: h.ErrorType, Direction: h.Direction, Score: h.Score, Rel: h.Rel,
			Taken: h.Taken, Code: h.Why.Code, Reason: h.Reason, Signals: h.Signals,
			sentence: h.Why.Code.Sentence(), args: h.Why.Args,
		}
		if l := h.Left; l.Code != "" {
			c.Taken, c.Code, c.Reason, c.sentence, c.args = false, l.Code, l.Reason, l.Sentence, l.Args
		}
		out = append(out, c)
	}
	return out
}

// observedPart lists the remembered misses that the observation confirms, refutes or leaves open.
func observedPart(v *say.Voice, p *say.Output, x *memtree.Explanation) {
	if len(x.Facts)+len(x.Undecided) == 0 {
		return
	}
	p.Bold(v.Say("Held against the observation:"))
	for _, f := range slices.Concat(x.Facts, x.Undecided) {
		said := v.Because(f.Text, nil)
		if f.State == fact.Unknown.String() && f.Thing != "" {
			said = v.Say("“%s”: %s", f.Thing, said)
		}
		if f.Line > 0 {
			said += " (" + v.Say("line %d", f.Line) + ")"
		}
		p.Item("  "+text.Pad(v.Because(f.State, nil), 8)+" ", said)
	}
	p.Add("")
}

// readPart lists what a reader chose for the test before the run.
func readPart(v *say.Voice, p *say.Output, b *brief.Brief) {
	if b == nil {
		return
	}
	picks := slices.Clone(b.Picks)
	picks = slices.DeleteFunc(picks, func(p brief.Pick) bool { return ledger.IsFact(p.ID) }) // see knownLines
	head := v.Say("Read ahead by %s on %s; it picked no memory.", b.Read.By, b.Read.At.Format(time.DateOnly))
	if len(picks) > 0 {
		head = v.Say("Read ahead by %s on %s; it picked:", b.Read.By, b.Read.At.Format(time.DateOnly))
	}
	p.Bold(head)
	for _, pick := range picks {
		p.Item("  - ", v.Say("%s, because of “%s”", short(pick.ID), pick.Because))
		if pick.Say != "" {
			p.Item("    ", pick.Say)
		}
	}
	p.Add("")
}

// rankOf is the place of a memory in the list: what was taken, what a person decided on, and the others.
func rankOf(c *considered) int {
	switch {
	case c.Taken:
		return 0
	case c.Code.ByPerson():
		return 1
	}
	return 2
}

// firstOf returns the first memories: limit of them, or all for 0. For nearOnes it returns at most 20, and at
// least three, that are not far from the test.
func firstOf(all []considered, limit int) []considered {
	const most, least, far = 20, 3, 0.05
	switch {
	case limit == 0:
		return all
	case limit > 0:
		return all[:min(limit, len(all))]
	}
	n := min(least, len(all))
	for i := n; i < min(most, len(all)); i++ {
		if all[i].Taken || all[i].Rel >= far {
			n = i + 1
		}
	}
	return all[:n]
}

func explanationLines(v *say.Voice, x *memtree.Explanation, all []considered, limit int) []string {
	p := v.Page()
	observedPart(v, p, x)
	p.Raw(knownLines(v, x)...)
	readPart(v, p, x.Brief)
	if len(all) == 0 {
		p.Add(v.Say("No memory was considered: none has a word, a meaning or a scene in common with this."))
		return append(p.Lines, unformedLines(v, x.Unformed)...)
	}
	taken := 0
	for _, c := range all {
		if c.Taken {
			taken++
		}
	}
	p.Add(v.Say("Memories considered: %d, taken: %d. rel is how near a memory is, from 0 to 1; "+
		"score is that weighed by how much it is trusted.", len(all), taken), "")
	slices.SortStableFunc(all, func(x, y considered) int { // a reader takes memories that words rank low
		return cmp.Or(rankOf(&x)-rankOf(&y), cmp.Compare(y.Rel, x.Rel))
	})
	shown := firstOf(all, limit)
	t := &say.Table{Columns: []say.Column{
		{Right: true}, {Head: v.Say("memory")}, {Head: v.Say("error type"), Least: 16}, {Head: v.Say("direction")},
		{Head: "rel", Right: true}, {Head: v.Say("score"), Right: true}, {Head: ""},
	}}
	for i, c := range shown {
		t.Add(fmt.Sprint(i+1), short(c.ID), c.ErrorType, v.DirectionName(c.Direction),
			c.shown(c.Rel), c.shown(c.Score), decision(v, c.Taken))
	}
	rows := t.Lines(v.Width)
	p.Raw(v.Paint(say.Bold, rows[0]))
	for i, c := range shown {
		row := rows[i+1]
		if c.Taken {
			row = v.Paint(say.Green, row)
		}
		p.Raw(row)
		p.Item("     ", text.Line(c.shownTitle))
		p.Painted(say.Dim, "     ", signalLine(v, c.Signals))
		p.Item("     ", v.Because(c.sentence, c.args))
		if len(c.StandsOn) > 0 {
			p.Item("     ", v.Say("rests on")+" "+shortList(c.StandsOn))
		}
	}
	if rest := len(all) - len(shown); rest > 0 {
		p.Raw(v.Say("... and %d more (--limit 0 prints all)", rest))
	}
	if x.Abstained {
		p.Add("", abstained(v, x.Nearest))
		p.Raw(unformedLines(v, x.Unformed)...)
	}
	return p.Lines
}

// shown returns a number of the table. What a reader picked has none, since its place does not come from numbers.
func (c *considered) shown(number float64) string {
	if c.Code == retrieval.Read {
		return "·"
	}
	return two(number)
}

func abstained(v *say.Voice, near *enhance.Item) string {
	if near == nil {
		return v.Say("guide would give nothing.")
	}
	return v.Say("guide would give nothing; the nearest is %s.", short(near.ID))
}

func decision(v *say.Voice, taken bool) string {
	if taken {
		return v.Say("taken")
	}
	return v.Say("dropped")
}

// signalLine lists signals by name: the measured value of each and its contribution to the score.
func signalLine(v *say.Voice, signals []retrieval.Signal) string {
	const nothing = 0.005 // a smaller value prints as 0.00
	var parts []string
	for _, s := range signals {
		name := signalName(v, s.Name)
		switch {
		case math.Abs(s.Contribution) < nothing:
		case s.Name == "diversity":
			parts = append(parts, v.Say("%s %.3g (%s in the choice, not in the score)", name, s.Raw, two(s.Contribution)))
		case s.Contribution < 0:
			parts = append(parts, fmt.Sprintf("%s %.3g (%s)", name, s.Raw, two(s.Contribution)))
		case s.Weight == 1:
			parts = append(parts, name+" "+two(s.Contribution))
		default:
			parts = append(parts, fmt.Sprintf("%s %s × %s = %s", name, two(s.Calibrated), two(s.Weight), two(s.Contribution)))
		}
	}
	return strings.Join(parts, " · ")
}

// signalName names a signal for people; --json prints the name the program uses.
func signalName(v *say.Voice, name string) string {
	return cmp.Or(map[string]string{
		"exact": v.Say("exact"), "semantic": v.Say("semantic"), "check": v.Say("check"), "scene": v.Say("scene"),
		"words": v.Say("words"), "meaning": v.Say("meaning"), "confidence": v.Say("confidence"), "age": v.Say("age"),
		"level": v.Say("level"), "recurrence": v.Say("the very test"), "activation": v.Say("children"),
		"closeness": v.Say("closeness"), "diversity": v.Say("diversity"),
	}[name], name)
}
