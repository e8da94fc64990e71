package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"slices"
	"strings"

	"golang.org/x/term"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/curation"
	"github.com/memtree/memtree/find"
	"github.com/memtree/memtree/inbox"
	"github.com/memtree/memtree/internal/cli/input"
	"github.com/memtree/memtree/internal/cli/say"
	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// labelSession is one session in which a person labels runs one after another.
type labelSession struct {
	*app
	mem   *memtree.Memory
	by    curation.Options
	query find.Query
	lines *bufio.Scanner
	echo  bool // the answers are not typed at a terminal, which would show them

	past    []answered      // the last one last
	passed  map[string]bool // by id: skipped, or refused by the store
	front   string          // id of the run to show next, or ""
	told    int
	wrong   int
	offered bool    // a lesson to teach was offered
	begun   float64 // expected number of wrong runs at the beginning
}

// answered is a run that was labelled or skipped.
type answered struct {
	id          string
	told, wrong bool
}

// longestAnswer bounds a line that a person types.
const longestAnswer = 1 << 20

func labelAsk(ctx context.Context, a *app, f *labelFlags) error {
	return a.store.Write(ctx, func(m *memtree.Memory) error {
		if err := m.Wait(ctx); err != nil {
			return err
		}
		s := &labelSession{app: a, mem: m, by: f.speaker, query: f.query, passed: map[string]bool{},
			lines: scanLines(input.Until(ctx, a.Stdin)), echo: !a.Live}
		if f, ok := a.Stdin.(*os.File); ok {
			s.echo = !term.IsTerminal(int(f.Fd())) //nolint:gosec // a file descriptor
		}
		err := s.run(ctx)
		if errors.Is(err, io.EOF) {
			err = nil
		}
		return errors.Join(err, s.sum(context.WithoutCancel(ctx)))
	})
}

// scanLines returns a scanner of the lines that a person types.
func scanLines(r io.Reader) *bufio.Scanner {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, longestAnswer)
	return lines
}

// run shows runs until none is left or the person ends the session.
func (s *labelSession) run(ctx context.Context) error {
	for first := true; ; first = false {
		box, err := s.mem.Inbox().Find(ctx, s.query, 0, 0)
		if err != nil {
			return err
		}
		if first {
			s.begun = box.Expected
		}
		out := s.Page()
		if !first {
			out.Add("")
		}
		out.Bold(waitingLine(s.Voice, &box))
		u := s.next(&box)
		if u == nil {
			return s.Print(out.Lines...)
		}
		if err := s.Print(append(append(out.Lines, ""), labelCard(s.app, u)...)...); err != nil {
			return err
		}
		if again, err := s.one(ctx, u); err != nil || !again {
			return err
		}
	}
}

// next returns the riskiest run that was not skipped, nil if there is none. A run whose label was undone comes first.
func (s *labelSession) next(box *inbox.Inbox) (u *inbox.Unlabelled) {
	for i := range box.Waiting {
		id := box.Waiting[i].Evaluation.Key()
		if !s.passed[id] && (u == nil || id == s.front) {
			u = &box.Waiting[i]
		}
	}
	s.front = ""
	return u
}

// one asks for the label of one run until it is labelled or skipped. again is false if the session ends.
func (s *labelSession) one(ctx context.Context, u *inbox.Unlabelled) (again bool, err error) {
	for {
		said, err := s.ask(s.Say("r right · w wrong · e environment · s skip · u take back · q end"))
		if err != nil {
			return false, err
		}
		switch strings.ToLower(said) {
		case "r", "right":
			return true, s.tell(ctx, u, curation.Truth{Correct: new(true)})
		case "w", "wrong":
			return true, s.wrongly(ctx, u)
		case "e", "environment":
			return true, s.tell(ctx, u, curation.Truth{Direction: taxonomy.Environment})
		case "s", "skip":
			id := u.Evaluation.Key()
			s.passed[id] = true
			s.past = append(s.past, answered{id: id})
			return true, s.skip(id, true)
		case "u", "undo":
			if len(s.past) > 0 {
				return true, s.back(ctx)
			}
			err = s.line(s.Say("Nothing was labelled yet; memtree undo takes back earlier labels."))
		case "q", "quit":
			return false, nil
		default:
			err = s.line(s.Say("Answer with one of the letters, then Enter."))
		}
		if err != nil {
			return false, err
		}
	}
}

// wrongly asks for the direction of a wrong verdict, where it is not clear, and the reason. The label remains even if
// the person leaves both unanswered.
func (s *labelSession) wrongly(ctx context.Context, u *inbox.Unlabelled) error {
	t := curation.Truth{Correct: new(false), Direction: find.Way(&u.Evaluation)}
	var gone error
	if t.Direction == taxonomy.Other {
		t.Direction, gone = s.way()
	}
	if gone == nil {
		t.Reason, gone = s.ask(s.Say("Why, in a sentence (may be empty)"))
	}
	if err := s.tell(context.WithoutCancel(ctx), u, t); err != nil {
		return err
	}
	return gone
}

// skip moves a run behind the others, or back. It ignores a run that no longer waits.
func (s *labelSession) skip(id string, skipped bool) error {
	if err := s.mem.Inbox().Skip(id, skipped); !errors.Is(err, tree.ErrNotFound) {
		return err
	}
	return nil
}

func (s *labelSession) way() (taxonomy.Direction, error) {
	for {
		said, err := s.ask(s.Say("Which way: m missed a defect · f false alarm · o other"))
		if err != nil {
			return taxonomy.Other, err
		}
		switch strings.ToLower(said) {
		case "m":
			return taxonomy.FalsePass, nil
		case "f":
			return taxonomy.FalseFail, nil
		case "o":
			return taxonomy.Other, nil
		}
	}
}

// tell stores the label of a run. If it is refused, it prints the reason and skips the run.
func (s *labelSession) tell(ctx context.Context, u *inbox.Unlabelled, t curation.Truth) error {
	id := u.Evaluation.Key()
	d, err := s.mem.Curation().Label(ctx, []string{id}, t, s.by)
	var refused *curation.RefusedError
	var unkept *curation.UnkeptError
	var field *tree.FieldError
	switch {
	case errors.As(err, &refused), errors.As(err, &unkept), errors.As(err, &field), errors.Is(err, tree.ErrNotFound):
		s.passed[id] = true
		return s.line(s.Sentence(relabelFailure(s.Voice, id, err)))
	case err != nil:
		return err
	case len(d.Decided) > 0:
		s.passed[id] = true
		return s.line(s.Say("%s decided meanwhile: %s. It stays so.", cmp.Or(d.Decided[0].By, s.Say("somebody")),
			s.Voice.Names().Verdict(&d.Decided[0].Verdict)))
	case len(d.Verdicts) == 0:
		s.passed[id] = true
		return s.line(s.Sentence(relabelFailure(s.Voice, id, &curation.UnkeptError{Evaluation: id})))
	}
	v := &d.Verdicts[0]
	s.told++
	wrong := v.Labelled && !v.Correct
	if wrong {
		s.wrong++
	}
	s.past = append(s.past, answered{id, true, wrong})
	if v.Node != "" {
		if err := s.line(s.Say("Saved: %s; case %s", s.Voice.Names().Verdict(v), v.Node)); err != nil {
			return err
		}
		return s.offer(ctx, v.Node)
	}
	return s.line(s.Say("Saved: %s", s.Voice.Names().Verdict(v)))
}

// offer prints how to teach a lesson if several notes are alike and no check explains them. It does so once in a
// session, because the notes that follow are alike too.
func (s *labelSession) offer(ctx context.Context, node string) error {
	if s.offered {
		return nil
	}
	l, err := s.mem.Curation().Offer(ctx, node)
	if err != nil || l == nil {
		return err
	}
	s.offered = true
	if err := s.line(s.Say("Runs with a note like this: %d, and no lesson learned of them. To teach one (word it as what "+
		"to do):", len(l.For))); err != nil {
		return err
	}
	return s.Print("  " + teachLine(l)) // in one line, so that it can be copied
}

// teachLine returns the command that teaches a lesson.
func teachLine(l *curation.TaughtLesson) string {
	words := []string{"memtree teach", shellQuoted(l.Lesson)}
	add := func(flag string, values ...string) {
		for _, v := range values {
			if v != "" {
				words = append(words, flag, shellQuoted(v))
			}
		}
	}
	add("--when", l.When...)
	add("--product", l.Product)
	add("--direction", string(l.Direction))
	add("--for", l.For...)
	return strings.Join(words, " ")
}

// shellQuoted quotes a text for a POSIX shell.
func shellQuoted(s string) string { return "'" + strings.ReplaceAll(text.Line(s), "'", `'\''`) + "'" }

// shellName quotes a name for a POSIX shell where a shell would not take it as it is, such as the & of a URL.
func shellName(s string) string {
	if strings.ContainsAny(s, " \t&;|<>()$`\\\"'*?[]{}#~!") {
		return shellQuoted(s)
	}
	return s
}

// back undoes the last answer of the session.
func (s *labelSession) back(ctx context.Context) error {
	last := s.past[len(s.past)-1]
	s.past = slices.Delete(s.past, len(s.past)-1, len(s.past))
	if s.front = last.id; !last.told {
		delete(s.passed, last.id)
		return s.skip(last.id, false)
	}
	if _, err := s.mem.Curation().Undo(ctx, last.id, s.by); err != nil {
		return decisionFailure(s.Voice, err)
	}
	s.told--
	if last.wrong {
		s.wrong--
	}
	return s.line(s.Say("Taken back: %s", last.id))
}

// ask prints a question and reads a line; io.EOF if none comes.
func (s *labelSession) ask(question string) (string, error) {
	if _, err := io.WriteString(s.Stdout, s.Paint(say.Cyan, question)+" > "); err != nil {
		return "", err
	}
	if s.lines.Scan() {
		said := strings.TrimSpace(text.Line(s.lines.Text()))
		if s.echo {
			return said, s.line(said)
		}
		return said, nil
	}
	if err := s.Print(""); err != nil { // the line of the question
		return "", err
	}
	if err := s.lines.Err(); err != nil {
		return "", err
	}
	return "", io.EOF
}

func (s *labelSession) line(sentence string) error {
	return s.Print(s.Wrap(sentence)...)
}

// sum prints the result of the session.
func (s *labelSession) sum(ctx context.Context) error {
	if s.told == 0 {
		return nil
	}
	box, err := s.mem.Inbox().Find(ctx, s.query, 0, 1)
	if err != nil {
		return err
	}
	p := s.Page()
	p.Raw("")
	p.Add(s.Say("Labelled %d (%d wrong); %d left.", s.told, s.wrong, box.Total))
	if s.begun > 0 && box.Scored > 0 {
		p.Add(s.Say("Expected to be wrong among those that wait: %.1f before, %.1f now.", s.begun, box.Expected))
	}
	if s.wrong > 0 {
		p.Add(s.Say("Next: memtree evolve learns from the new cases."))
	}
	return s.Print(p.Lines...)
}
