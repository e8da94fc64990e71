package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/find"
	"github.com/memtree/memtree/harness"
	"github.com/memtree/memtree/internal/cli/say"
	"github.com/memtree/memtree/internal/judgment"
	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/tree"
)

// triageOptions are the flags of triage.
type triageOptions struct {
	top     int
	find    find.Query
	correct float64 // risk from which a verdict is corrected; 0: none is
	look    lookFlags
	out     string // file for the runs with their corrected verdicts; "": none
}

// checkTriage checks the flags of triage. Without --above, the bound of --correct-above also limits the printed
// verdicts.
func checkTriage(a *app, o *triageOptions, files []string, correcting bool) error {
	some := o.find
	some.Above = 0
	switch {
	case correcting && !(o.correct > 0 && o.correct <= 1):
		return a.Usage("--correct-above is %v; it lies above 0 and goes to 1", o.correct)
	case o.out != "" && !correcting:
		return a.Usage("--out needs --correct-above, which says how likely to be wrong a verdict must be")
	case o.out != "" && !some.All():
		return a.Usage("--out writes all runs; leave the flags that choose some out")
	case o.out != "" && a.store.ReadOnly:
		return a.Usage("--out cannot go with --read-only: what is corrected is noted in the store")
	}
	for _, name := range files {
		if o.out != "" && a.files.Same(name, o.out) {
			return a.Fail(nil, "%s is the file that is read; write to another one", o.out)
		}
	}
	if correcting && o.find.Above == 0 {
		o.find.Above = o.correct
	}
	if err := o.look.check(a.Voice); err != nil {
		return err
	}
	return checkFind(a.Voice, &o.find)
}

// corrected is the number of corrections in files.
type corrected struct {
	Bound   float64 `json:"bound"`
	Changed int     `json:"changed"` // verdicts replaced by their opposite
	Flagged int     `json:"flagged"` // as likely to be wrong, but not changed
	Out     string  `json:"out,omitempty"`
}

// of returns the correction of a verdict, nil if there is none. If the store is writable it records it.
func (c *corrected) of(ctx context.Context, m *memtree.Memory, e *tree.Evaluation) (*ledger.Correction, error) {
	x, err := m.Correct(ctx, *e, harness.CorrectOptions{Above: c.Bound, Do: ledger.Other})
	switch {
	case err != nil || x == nil:
		return nil, err
	case x.Changed:
		c.Changed++
	default:
		c.Flagged++
	}
	return x, nil
}

// correctedFile is a file of runs with their corrected verdicts.
type correctedFile struct{ bytes.Buffer }

// add adds a run. A correction is written beside the verdict.
func (f *correctedFile) add(e *tree.Evaluation, c *ledger.Correction) error {
	line := struct {
		tree.Evaluation
		First      tree.Raw           `json:"first_judgment,omitempty"`
		Correction *ledger.Correction `json:"correction,omitempty"`
	}{Evaluation: *e, Correction: c}
	if c != nil && c.Changed {
		line.Judgment, line.First = c.Now, e.Judgment
	}
	w := json.NewEncoder(f)
	w.SetEscapeHTML(false)
	if err := w.Encode(line); err != nil {
		return fmt.Errorf("write %s: %w", e.Key(), err)
	}
	return nil
}

// correctionLine describes the correction of one verdict.
func correctionLine(v *say.Voice, c *ledger.Correction) string {
	if c.Changed {
		return v.Say("taken the other way round: %s, not %s", shortVerdict(c.Now), shortVerdict(c.First))
	}
	return v.Say("left as it is: %s", v.Because(c.Why, nil))
}

// correctedLine describes the corrections of all files.
func correctedLine(v *say.Voice, c *corrected) string {
	if c.Changed+c.Flagged == 0 && c.Out == "" {
		return v.Say("At %.0f %% no verdict would be corrected.", 100*c.Bound)
	}
	out := v.Say("At %.0f %% the other verdict would be taken of %d.", 100*c.Bound, c.Changed)
	if c.Out != "" {
		out = v.Say("Written to %s: of %d the other verdict is taken, and the agent's own stands beside it.",
			c.Out, c.Changed)
	}
	if c.Flagged > 0 {
		out += v.Say(" %d as likely to be wrong are left as they are.", c.Flagged)
	}
	return out
}

// shortVerdict writes a bare verdict for people: pass, or has_defect: true.
func shortVerdict(r tree.Raw) string {
	switch v := judgment.Decode(r).(type) {
	case string:
		return text.Line(v)
	case map[string]any:
		for _, said := range v {
			if s, ok := said.(string); ok && len(v) == 1 {
				return text.Line(s)
			}
		}
		return text.Line(strings.NewReplacer(`"`, "", "{", "", "}", "", ":", ": ", ",", ", ").Replace(string(r)))
	}
	return text.Line(string(r))
}
