package main

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/curation"
	"github.com/memtree/memtree/find"
	"github.com/memtree/memtree/inbox"
	"github.com/memtree/memtree/ingest/report"
	"github.com/memtree/memtree/internal/cli/input"
	"github.com/memtree/memtree/internal/cli/say"
	"github.com/memtree/memtree/internal/judgment"
	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// labelling applies one table of truths to a memory.
type labelling struct {
	*app
	*input.RunFiles
	mem     *memtree.Memory
	file    string
	labels  report.Labels
	names   *testNames // of the runs that the table is for: those of the reports, or all known ones
	by      curation.Options
	out     tableResult
	box     inbox.Inbox    // afterwards
	done    map[string]int // line of the table by run id
	waiting map[string]*tree.Evaluation
	batch   []tableLine               // labels of unlabelled runs, which are stored together
	known   map[string]ledger.Verdict // by id
	ofRun   map[string][]string       // ids by run id
}

// tableLine is a line of the table with the run it names.
type tableLine struct {
	*report.Label
	id    string
	truth curation.Truth
}

// run applies the table.
func (l *labelling) run(ctx context.Context, m *memtree.Memory) error {
	if err := l.begin(ctx, m); err != nil {
		return err
	}
	told := l.labels.Told
	for i := range told {
		l.badUpTo(told[i].Line)
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := l.one(ctx, &told[i]); err != nil {
			return err
		}
		l.Bar.Step(int64(i+1), int64(len(told)))
	}
	l.badUpTo(math.MaxInt)
	for part := range slices.Chunk(l.batch, curation.MostLabels) {
		if err := l.store(ctx, part); err != nil {
			return err
		}
	}
	l.Bar.End()
	var err error
	l.box, err = m.Inbox().List(ctx, 1)
	l.out.Rejected, l.out.Waiting = l.Rejected, l.box.Total
	return err
}

// begin reads the known runs.
func (l *labelling) begin(ctx context.Context, m *memtree.Memory) error {
	if err := m.Wait(ctx); err != nil {
		return err
	}
	box, err := m.Inbox().List(ctx, 0)
	if err != nil {
		return err
	}
	l.mem, l.waiting = m, map[string]*tree.Evaluation{}
	all := l.names == nil
	if all {
		l.names = newTestNames(&l.labels)
	}
	for i := range box.Waiting {
		e := &box.Waiting[i].Evaluation
		if l.waiting[e.Key()] = e; all {
			l.names.meet(e)
		}
	}
	l.done = map[string]int{}
	l.known, l.ofRun = map[string]ledger.Verdict{}, map[string][]string{}
	for e, err := range m.Tree().Ledger(ctx, 0) {
		if err != nil {
			return err
		}
		if v := e.Verdict; v != nil {
			if _, twice := l.known[v.Evaluation]; !twice && v.RunID != "" {
				l.ofRun[v.RunID] = append(l.ofRun[v.RunID], v.Evaluation)
			}
			if all && l.waiting[v.Evaluation] == nil {
				l.names.meetVerdict(v)
			}
			l.known[v.Evaluation] = *v
		}
	}
	return nil
}

// badUpTo reports the invalid lines before a line.
func (l *labelling) badUpTo(line int) {
	for len(l.labels.Bad) > 0 && l.labels.Bad[0].Line < line {
		bad := l.labels.Bad[0]
		l.labels.Bad = l.labels.Bad[1:]
		l.Reject(input.Reject{File: l.file, Line: bad.Line, Field: bad.Field, Error: bad.Problem})
	}
}

// one applies one line of the table.
func (l *labelling) one(ctx context.Context, x *report.Label) error {
	w, ok := labelOf(x.Truth)
	if !ok {
		return l.refuse(x, "truth",
			l.Say("is %q; write right, wrong, pass, fail, false_pass, false_fail, environment or other",
				text.Clip(text.Line(x.Truth), 40)))
	}
	id, tests := x.ID, l.testsOf(x.ID)
	switch _, ok := l.known[id]; {
	case ok:
	case len(tests) == 1:
		id = tests[0]
	case len(l.ofRun[id]) == 1:
		id = l.ofRun[id][0]
	}
	was, ok := l.known[id]
	if first := l.done[id]; ok && first > 0 {
		return l.refuse(x, "id", l.Say("names the run of line %d; keep one of them", first))
	}
	l.done[id] = x.Line
	switch e := l.waiting[id]; {
	case !ok && len(tests) > 1:
		return l.refuse(x, "id", l.Say("is the name of %d tests; name one of them, such as %s", len(tests), tests[0]))
	case !ok && len(l.ofRun[id]) > 1:
		return l.refuse(x, "id", l.Say("is a run with %d verdicts; name one of them, such as %s", len(l.ofRun[id]),
			l.ofRun[id][0]))
	case !ok:
		return l.refuse(x, "id", l.Say("is %q, and no recorded run is named so", text.Clip(text.Line(x.ID), 60)))
	case e != nil:
		t, why := truthOf(l.Voice, w, e, x.Note)
		if why != "" {
			return l.refuse(x, "truth", why)
		}
		l.batch = append(l.batch, tableLine{x, id, t})
		return nil
	case agrees(w, &was) && (x.Note == "" || was.Correct || was.Apart()): // a note is kept only with a wrong verdict
		l.out.Already++
		return nil
	case agrees(w, &was): // the note may be new
		return l.tell(ctx, x, was.Evaluation, curation.Truth{Correct: new(false), Direction: was.Direction, Reason: x.Note})
	default:
		return l.correct(ctx, x, &was, w)
	}
}

// testsOf returns the ids of the runs of a test. If several nights have it and exactly one of its runs is unlabelled,
// it returns that one.
func (l *labelling) testsOf(name string) []string {
	all := l.names.of(name)
	var waiting []string
	for _, id := range all {
		if l.waiting[id] != nil {
			waiting = append(waiting, id)
		}
	}
	if len(waiting) == 1 {
		return waiting
	}
	return all
}

// refuse reports a line that cannot be used.
func (l *labelling) refuse(x *report.Label, field, why string) error {
	l.Reject(input.Reject{File: l.file, Line: x.Line, Field: field, Error: why})
	return nil
}

// agrees reports whether a verdict of the ledger already has a label.
func agrees(w tableLabel, v *ledger.Verdict) bool {
	switch w {
	case labelRight:
		return v.Labelled && v.Correct
	case labelWrong:
		return v.Labelled && !v.Correct
	case labelMiss, labelAlarm, labelOther:
		return v.Labelled && !v.Correct && string(v.Direction) == string(w)
	case labelApart:
		return v.Apart() && v.Excuse == ""
	case labelPass, labelFail: // these need the run itself
	}
	return false
}

// correct applies another truth to a run that has one.
func (l *labelling) correct(ctx context.Context, x *report.Label, was *ledger.Verdict, w tableLabel) error {
	if said, ok := contrary(was, w); ok {
		return l.refuse(x, "truth", l.Say("is %s, and the verdict was %s; write right, or mend it", w, polarityName(l.Voice,
			said)))
	}
	t := curation.Truth{Reason: x.Note}
	switch w {
	case labelPass, labelFail:
		t.GroundTruth = tree.Quote(string(w))
	case labelRight:
		t.Correct = new(true)
	case labelWrong:
		t.Correct = new(false)
	case labelMiss, labelAlarm, labelOther:
		t.Correct, t.Direction = new(false), taxonomy.Direction(w)
	case labelApart:
		t.Direction = taxonomy.Environment
	}
	return l.tell(ctx, x, was.Evaluation, t)
}

// store labels runs as one action, which one undo takes back. If one of the labels cannot be stored, each is stored by
// itself, so that the result names the line.
func (l *labelling) store(ctx context.Context, lines []tableLine) error {
	list := make([]curation.OneLabel, len(lines))
	for i := range lines {
		list[i] = curation.OneLabel{Evaluation: lines[i].id, Truth: lines[i].truth}
	}
	d, err := l.mem.Curation().LabelEach(ctx, list, l.by)
	if _, refused := errors.AsType[*tree.FieldError](err); refused {
		for _, x := range lines {
			if err := l.tell(ctx, x.Label, x.id, x.truth); err != nil {
				return err
			}
		}
		return nil
	}
	if err != nil {
		return err
	}
	l.out.Told, l.out.Already = l.out.Told+len(d.Verdicts), l.out.Already+len(d.Decided)
	for i := range d.Verdicts {
		if v := &d.Verdicts[i]; v.Labelled && !v.Correct {
			l.out.Wrong++
		}
	}
	l.out.Cases += newCases(d.Changes)
	for _, x := range lines {
		if slices.Contains(d.Unkept, x.id) {
			err := l.refuse(x.Label, "id", l.Say("is of a run that is kept no more; use memtree relabel %s --runs FILE", x.id))
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// tell stores the label of a line. It reports a refusal as a rejected line.
func (l *labelling) tell(ctx context.Context, x *report.Label, id string, t curation.Truth) error {
	d, err := l.mem.Curation().Relabel(ctx, id, t, l.by)
	var refused *curation.RefusedError
	var unkept *curation.UnkeptError
	var field *tree.FieldError
	switch {
	case err == nil:
		l.out.Told++
		if d.Verdict.Labelled && !d.Verdict.Correct {
			l.out.Wrong++
		}
		l.out.Cases += newCases(d.Changes)
		delete(l.waiting, id)
		l.known[id] = *d.Verdict
	case errors.As(err, &refused) && refused.Why == curation.Already:
		l.out.Already++
	case errors.As(err, &unkept):
		return l.refuse(x, "id", l.Say("is of a run that is kept no more; use memtree relabel %s --runs FILE", id))
	case errors.As(err, &field):
		return l.refuse(x, "truth", l.Say("cannot be compared with the verdict; write right or wrong"))
	case errors.As(err, &refused) && refused.Why == curation.Theirs:
		return l.refuse(x, "truth", l.Say("is %s, but %s decided: %s. --over labels it all the same", x.Truth,
			l.Names().Who(refused.By), decided(l.Voice, refused)))
	case errors.As(err, &refused):
		return l.refuse(x, "", l.Sentence(decisionFailure(l.Voice, err)))
	default:
		return err
	}
	return nil
}

// newCases counts the cases that changes add.
func newCases(changes []tree.Change) (n int) {
	for i := range changes {
		if c := &changes[i]; c.Op == tree.OpAdd && c.Node.Type == tree.Case {
			n++
		}
	}
	return n
}

// tableLabel is a label as a table spells it.
type tableLabel string

// The labels. pass and fail are the truth of the test, the others are about the verdict.
const (
	labelRight tableLabel = "right"
	labelWrong tableLabel = "wrong"
	labelPass  tableLabel = "pass"
	labelFail  tableLabel = "fail"
	labelMiss  tableLabel = tableLabel(taxonomy.FalsePass)
	labelAlarm tableLabel = tableLabel(taxonomy.FalseFail)
	labelOther tableLabel = tableLabel(taxonomy.Other)
	labelApart tableLabel = tableLabel(taxonomy.Environment) // the run shows nothing about its judge
)

// labelWords are the other words for each label, separated by spaces. The class that a person gave a failure in a test
// tool is a label too: of a defect of the product the truth is fail; of a defect of the test, or of none, it is pass.
var labelWords = map[tableLabel]string{
	labelRight: "对 判对 正确",
	labelWrong: "错 判错 误判 错误",
	labelPass:  "automation_bug test_bug test_defect no_defect 脚本问题 测试脚本问题 无缺陷 非缺陷 通过",
	labelFail:  "product_bug product_defect 产品缺陷 产品问题 不通过 失败 未通过",
	labelMiss:  "漏报 漏报缺陷",
	labelAlarm: "误报",
	labelOther: "",
	labelApart: "env system_issue infrastructure 环境 环境问题 系统问题",
}

// labelOf parses a label, false if it is none. TRUE and numbers are none, because a spreadsheet may have made them.
func labelOf(s string) (tableLabel, bool) {
	s = strings.ReplaceAll(strings.ReplaceAll(s, " ", "_"), "-", "_")
	for label, words := range labelWords {
		if s == string(label) || slices.Contains(strings.Fields(words), s) {
			return label, true
		}
	}
	return "", false
}

// truthOf returns the truth of a run for a label, or the reason why the label does not fit the run.
func truthOf(v *say.Voice, w tableLabel, e *tree.Evaluation, note string) (curation.Truth, string) {
	t, way := curation.Truth{Reason: note}, find.Way(e)
	switch {
	case w == labelPass || w == labelFail:
		if way == taxonomy.Other {
			return t, v.Say("is %s, and the verdict cannot be read as pass or fail; write right or wrong", w)
		}
		t.GroundTruth = tree.Quote(string(w))
		if right := (w == labelPass) == (way == taxonomy.FalsePass); !right {
			t.Direction = way
		} else {
			t.Correct = new(true)
		}
	case w == labelApart:
		t.Direction = taxonomy.Environment
	case w == labelRight:
		t.Correct = new(true)
	case w == labelWrong:
		t.Correct, t.Direction = new(false), way
	case w != labelOther && way != taxonomy.Other && taxonomy.Direction(w) != way:
		return t, v.Say("is %s, and the verdict was %s; write right, or mend it", w, judgedName(v, e))
	default:
		t.Correct, t.Direction = new(false), taxonomy.Direction(w)
	}
	return t, ""
}

// contrary reports whether a label names a direction that is impossible for a verdict, and returns what that verdict
// was.
func contrary(was *ledger.Verdict, w tableLabel) (said judgment.Polarity, is bool) {
	switch {
	case was.Direction == taxonomy.FalsePass && w == labelAlarm:
		return judgment.Passes, true
	case was.Direction == taxonomy.FalseFail && w == labelMiss:
		return judgment.Fails, true
	}
	return judgment.Unread, false
}

// judgedParts returns the verdict of a run, pass or fail, and the rest of the judgment; the whole judgment if no
// verdict can be read.
func judgedParts(e *tree.Evaluation) (verdict, beside string) {
	read := judgment.Decode(e.Judgment)
	if p := judgment.PolarityOf(read); p != judgment.Unread {
		_, beside = judgment.Read(read)
		return p.String(), beside
	}
	return e.Judgment.Text(), ""
}
