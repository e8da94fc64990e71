package knowledge

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/llm/meter"
	"github.com/memtree/memtree/prompts"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// ReadOptions configures a Read. Nil and the zero value read all notes with the model of the memory.
type ReadOptions struct {
	meter.Reading
	Progress func(ReadResult) // called after every question; may be nil
}

// ReadResult counts what a Read did, or would do by estimate.
type ReadResult struct {
	Runs int `json:"runs"` // false alarms with a note that was not read before
	meter.ReadUsage
	Facts     []Fact   `json:"facts"`     // new facts
	Confirmed int      `json:"confirmed"` // notes that state a known fact
	Disputed  int      `json:"disputed"`  // notes that state that a known fact does not hold
	Refused   []string `json:"refused"`   // why statements were refused, a sentence each
	// false alarms whose notes are still unread; the next Read continues with them
	Left int    `json:"left"`
	Why  string `json:"why,omitempty"` // last error of the model, "" if there is none
}

// falseAlarm is a false alarm with a note.
type falseAlarm struct{ id, test, product, page, task, note string }

// The tokens of an answer at most: a part for every answer, and a part for each run.
const (
	answerTokens = 300
	runTokens    = 60
)

// mostFailures is how many calls in a row may fail before a model is called no more.
const mostFailures = 3

// Read has a model read the notes of people on false alarms, many notes in one question, and adds the facts about the
// product that they state. The note is the fact's evidence. Each note is read once. If Read is interrupted, the notes
// read so far count. A call that fails is no error; ReadResult.Why has the reason. Without a model the error is an
// llm.Error of KindNotSet, but not with DryRun.
func (l *Library) Read(ctx context.Context, o *ReadOptions) (ReadResult, error) {
	o = cmp.Or(o, &ReadOptions{})
	out := ReadResult{Facts: []Fact{}, Refused: []string{}}
	model, err := o.Model(l.s.Model)
	if err != nil {
		return out, fmt.Errorf("read facts: %w", err)
	}
	questions, err := l.unread(ctx)
	if err != nil {
		return out, fmt.Errorf("read facts: %w", err)
	}
	// One at a time: a question has the facts of the one before.
	left, used := o.Each(ctx, model, len(questions), 1, mostFailures, func(i int, of *meter.Meter) func(meter.ReadUsage) {
		err := l.ask(ctx, of, questions[i], &out)
		return func(used meter.ReadUsage) {
			if out.ReadUsage = used; err != nil {
				out.Left, out.Why = out.Left+len(questions[i]), err.Error()
			}
			if o.Progress != nil {
				o.Progress(out)
			}
		}
	})
	out.ReadUsage = used
	for i, q := range questions {
		if out.Runs += len(q); i >= len(questions)-left {
			out.Left += len(q)
		}
	}
	return out, ctx.Err()
}

// unread returns the false alarms whose notes were not read, in questions of one product each.
func (l *Library) unread(ctx context.Context) (questions [][]falseAlarm, err error) {
	var all []falseAlarm
	for n, err := range l.s.Nodes(ctx) {
		if err != nil {
			return nil, err
		}
		if n.Type != tree.Case || !n.Live() || n.Direction != taxonomy.FalseFail || n.CaseData == nil ||
			n.CaseData.EvaluatorReason == "" || l.s.Hidden(n.Scope.Product) {
			continue
		}
		test := cmp.Or(n.Scope.Test, n.CaseData.TestCase.CaseID)
		all = append(all, falseAlarm{n.ID, test, n.Scope.Product, cmp.Or(tree.Route(n.Scene.Route), n.Scene.ID),
			n.CaseData.TestCase.Prompt, n.CaseData.EvaluatorReason})
	}
	err = l.s.View(ctx, func(b *Base) {
		all = slices.DeleteFunc(all, func(c falseAlarm) bool { return b.WasRead(c.id) })
	})
	slices.SortFunc(all, func(a, b falseAlarm) int {
		return cmp.Or(cmp.Compare(a.product, b.product), cmp.Compare(a.id, b.id))
	})
	for from := 0; from < len(all); {
		to := from + 1
		for to < len(all) && all[to].product == all[from].product && to-from < prompts.MaxFactsRuns {
			to++
		}
		questions = append(questions, all[from:to])
		from = to
	}
	return questions, err
}

// knownTo returns the facts of a product that its notes may state again or contradict: all, or those with most terms
// of them.
func (l *Library) knownTo(ctx context.Context, runs []falseAlarm) (known []Fact, err error) {
	notes := make([]string, len(runs))
	for i := range runs {
		notes[i] = runs[i].note
	}
	product := func(f *Fact) bool {
		return (f.State == Active || f.State == Disputed) && f.Scope.Product == runs[0].product
	}
	err = l.s.View(ctx, func(b *Base) {
		if b.Len() <= prompts.MaxFactsKnown {
			known = slices.DeleteFunc(b.All(l.s.Now()), func(f Fact) bool { return !product(&f) })
			return
		}
		for _, m := range b.Search(strings.Join(notes, " "), l.s.Now(), prompts.MaxFactsKnown, product) {
			known = append(known, m.Fact)
		}
	})
	slices.SortFunc(known, func(a, b Fact) int { return cmp.Compare(a.ID, b.ID) })
	return known, err
}

// question returns the request to a model about some runs, and its input.
func question(runs []falseAlarm, known []Fact) (in prompts.FactsInput, r llm.Request, err error) {
	for i := range known {
		in.Known = append(in.Known, known[i].Text)
	}
	chinese := 0
	for _, r := range runs {
		if text.Lang(r.note) == "zh" {
			chinese++
		}
		in.Runs = append(in.Runs, prompts.FactsRun{Page: r.page, Task: r.task, Note: r.note})
	}
	if 2*chinese > len(runs) {
		in.Lang = "zh"
	}
	p, err := prompts.Load().Facts(in)
	return in, prompts.Load().Request(p, in.Lang, answerTokens+runTokens*len(runs)), err
}

// ask has one question answered, and adds what holds of the answer.
func (l *Library) ask(ctx context.Context, model llm.Generator, runs []falseAlarm, out *ReadResult) error {
	facts, err := l.knownTo(ctx, runs)
	if err != nil {
		return err
	}
	in, request, err := question(runs, facts)
	if err != nil {
		return err
	}
	found, a, err := llm.AskFor(ctx, model, request, in.Read)
	if err != nil {
		return err
	}
	by := cmp.Or(a.Model, l.s.Name, "reader")
	var es []ledger.Entry
	states := map[int]bool{} // runs whose note states a fact
	for i := range found {
		var same *Fact
		if at := in.KnownAt(found[i].Same); at >= 0 {
			same = &facts[at]
		}
		list := l.stated(&found[i], same, runs, by, out)
		if at := in.KnownAt(found[i].Against); at >= 0 && list[0].Op == ledger.FactStated && list[0].Fact != facts[at].ID {
			list = append(list, ledger.FactEntry{Op: ledger.FactContradicted, Fact: facts[at].ID, Source: ledger.FromNote,
				By:   by,
				Case: list[0].Case, Test: list[0].Test, Holds: list[0].Fact})
			out.Disputed++
		}
		for _, k := range list {
			es = append(es, ledger.Entry{At: l.s.Now(), Known: &k})
		}
		for _, n := range found[i].Runs {
			states[n-1] = true
		}
	}
	for i, c := range runs {
		if !states[i] {
			es = append(es, ledger.Entry{At: l.s.Now(), Known: &ledger.FactEntry{
				Op: ledger.FactNone, Fact: ledger.FactPrefix, Source: ledger.FromNote, By: by, Case: c.id, Test: c.test,
			}})
		}
	}
	before := map[string]bool{}
	known := func(b *Base) {
		for _, e := range es {
			_, before[e.Known.Fact] = b.Get(e.Known.Fact, l.s.Now())
		}
	}
	if err := l.s.View(ctx, known); err != nil {
		return err
	}
	if err := l.s.Write(ctx, es); err != nil {
		return err
	}
	return l.s.View(ctx, func(b *Base) {
		for _, e := range es {
			f, ok := b.Get(e.Known.Fact, l.s.Now())
			switch {
			case !ok || e.Known.Op != ledger.FactStated:
			case before[f.ID]:
				out.Confirmed++
			default:
				before[f.ID] = true
				out.Facts = append(out.Facts, f)
			}
		}
	})
}

// stated returns the entries of a fact that notes state, one for each of them: of the same fact if it is known. Of one
// that is refused, each note counts as read.
func (l *Library) stated(f *prompts.FactsFound, same *Fact, runs []falseAlarm, by string,
	out *ReadResult) []ledger.FactEntry {
	s := ledger.Statement{
		Text: f.Statement, Kind: ledger.FactKind(f.Kind), Scope: tree.Scope{Product: runs[f.Runs[0]-1].product},
	}
	for _, n := range f.Runs {
		if p := runs[n-1].page; f.Here && p != "" && !slices.Contains(s.Pages, p) && len(s.Pages) < ledger.MaxPages {
			s.Pages = append(s.Pages, p)
		}
	}
	if same != nil {
		s = same.Statement
	}
	says, _, err := Clean(s, l.s.Secrets)
	if err != nil {
		out.Refused = append(out.Refused, fmt.Sprintf("%s: %v", text.Clip(f.Statement, 80), err))
	}
	list := make([]ledger.FactEntry, 0, len(f.Runs))
	for i, n := range f.Runs {
		c := runs[n-1]
		k := ledger.FactEntry{Op: ledger.FactNone, Fact: ledger.FactPrefix, Source: ledger.FromNote, By: by, Case: c.id,
			Test: c.test}
		if err == nil {
			k.Op, k.Fact, k.Says = ledger.FactStated, says.ID(), &says
		}
		if i == 0 && err == nil {
			k.Quote, _ = l.s.Secrets(text.Line(text.Clip(f.Quote, 200)))
		}
		list = append(list, k)
	}
	return list
}
