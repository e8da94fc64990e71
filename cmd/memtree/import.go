package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/formation"
	"github.com/memtree/memtree/internal/cli/say"
	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/knowledge"
	"github.com/memtree/memtree/transfer"
	"github.com/memtree/memtree/tree"
)

func importCommand(a *app) *cobra.Command {
	o := transfer.ImportOptions{}
	limit, verify, risk := 0, []string{}, riskFlags{}
	c := &cobra.Command{
		Use:  "import FILE... [flags]",
		Args: arguments(a.Voice, 1, -1, a.Say("one file or folder or more")),
		RunE: func(c *cobra.Command, args []string) error {
			if limit < 0 {
				return a.Usage("--limit is %d; use 0 for all", limit)
			}
			if risk.take && risk.remove {
				return a.Usage("--risk and --no-risk exclude each other")
			}
			return importFiles(c.Context(), a, args, o, risk, verify, limit)
		},
	}
	f := c.Flags()
	f.BoolVar(&o.DryRun, "dry-run", false, a.Say("say what would change, write nothing"))
	f.BoolVar(&o.Trust, "trust", false, a.Say("no quarantine: in use at once, and merged with what is here"))
	f.StringSliceVar(&verify, "verify", nil,
		a.Say("refuse what is not signed by one of the public keys in these files; it waits in quarantine all the same"))
	f.BoolVar(&risk.take, "risk", false,
		a.Say("let what a file counts of verdicts say which ones to read first, until own truths outweigh it"))
	f.BoolVar(&risk.remove, "no-risk", false, a.Say("take out what the team of a file counted of verdicts"))
	f.IntVar(&limit, "limit", 20, a.Say("how many memories to print; 0 for all"))
	return c
}

// importedFile is the result for one file, as --json prints it.
type importedFile struct {
	File   string                 `json:"file"`
	DryRun bool                   `json:"dryRun"`
	Trust  bool                   `json:"trust"`
	Signed string                 `json:"signedBy,omitempty"` // id of the key, with --verify
	Risk   *importedRisk          `json:"risk,omitempty"`
	Facts  *knowledge.Imported    `json:"facts,omitempty"`
	Counts map[transfer.Class]int `json:"counts"`
	Items  []transfer.NodePlan    `json:"items"` // all except unchanged ones
}

// importFiles imports files one after another and prints what each changed. limit bounds the printed memories of a
// file. It stops at the first file that is refused; a rejected memory makes the exit code 3.
func importFiles(
	ctx context.Context, a *app, files []string, o transfer.ImportOptions, risk riskFlags, verify []string, limit int,
) error {
	var keys *transfer.Keys
	if len(verify) > 0 {
		paths, err := a.files.Paths(verify)
		if err != nil {
			return err
		}
		if keys, err = transfer.ReadKeys(paths...); err != nil {
			return keyFailure(a.Voice, err)
		}
	}
	// A large file leaves much garbage behind. Collecting it more often takes longer but needs
	// less memory.
	defer a.store.CollectAt(40)()
	rejected := 0
	err := a.store.WriteUnless(ctx, o.DryRun, func(m *memtree.Memory) error {
		results := []importedFile{}
		for _, name := range files {
			r, err := importFile(ctx, a, m, name, keys, &o, risk)
			if err != nil {
				return err
			}
			rejected += r.Counts[transfer.Rejected]
			if r.Facts != nil {
				rejected += r.Facts.Bad
			}
			results = append(results, r)
			if !a.JSON {
				if err := printImported(a.Voice, &r, limit); err != nil {
					return err
				}
			}
		}
		if a.JSON {
			return a.PrintJSON(map[string][]importedFile{"files": results})
		}
		return nil
	})
	if err == nil && rejected > 0 {
		return say.ErrRejected
	}
	return err
}

// importFile imports one file or folder. It refuses a store, with advice.
func importFile(
	ctx context.Context, a *app, m *memtree.Memory, name string, keys *transfer.Keys, o *transfer.ImportOptions,
	risk riskFlags,
) (importedFile, error) {
	r := importedFile{File: name, DryRun: o.DryRun, Trust: o.Trust}
	if _, err := a.files.Stat(filepath.Join(name, "FORMAT.json")); err == nil {
		return r, a.Fail(nil, "%s is a store; write what it knows with `memtree export FILE --store %s` and import that",
			name, name)
	}
	path, err := a.files.Path(name)
	if err == nil {
		_, err = a.files.Stat(name)
	}
	if err != nil {
		return r, err
	}
	bar := a.Progress(a.Say("reading"), say.Count)
	defer bar.End()
	file := transfer.File{Path: path, Guess: formation.Guess, Keys: keys}
	plan, err := m.Transfer().Import(ctx, func(yield func(tree.Node, error) bool) {
		n := int64(0)
		for node, err := range file.Nodes {
			n++
			bar.Step(n, 0)
			if !yield(node, cmp.Or(err, ctx.Err())) {
				return
			}
		}
	}, o)
	if err != nil {
		return r, fileFailure(a.Voice, name, err)
	}
	if r.Signed = file.SignedBy; keys == nil && transfer.Signed(path) {
		bar.End()
		a.Note(a.Say("%s has a signature, which was not checked; --verify KEYS checks it.", name))
	}
	if r.Risk, err = importRisk(ctx, a.Voice, m, file.Risk, risk, o.DryRun); err != nil {
		return r, err
	}
	if r.Facts, err = importFileFacts(ctx, a.Voice, m, &file, o); err != nil {
		return r, err
	}
	r.Counts, r.Items = plan.Counts, plan.Items
	r.Items = emptyNotNull(r.Items)
	return r, nil
}

// importFileFacts proposes the facts of a file, and confirms the new ones of a trusted file; nil if it has none.
func importFileFacts(
	ctx context.Context, v *say.Voice, m *memtree.Memory, file *transfer.File, o *transfer.ImportOptions,
) (*knowledge.Imported, error) {
	if len(file.Facts) == 0 {
		return nil, nil //nolint:nilnil // most files have none
	}
	did, err := m.Knowledge().Import(ctx, file.Facts, filepath.Base(file.Path), o.DryRun)
	if full, ok := errors.AsType[*tree.FieldError](err); ok { // the memories are in
		v.Complain(v.Say("facts of %s: %s", file.Path, full.Error()))
		return &knowledge.Imported{New: []knowledge.Fact{}, Bad: len(file.Facts)}, nil
	}
	if err != nil {
		return nil, err
	}
	for i, err := range did.Refused {
		if err != nil {
			v.Complain(v.Say("fact %d of %s: %s", i+1, file.Path, err.Error()))
		}
	}
	if o.Trust && !o.DryRun {
		err = confirmNew(ctx, v, m, &did, "")
	}
	return &did, err
}

// className names the class of an import.
func className(v *say.Voice, c transfer.Class) string {
	return cmp.Or(map[transfer.Class]string{
		transfer.New: v.Say("new"), transfer.Same: v.Say("the same"), transfer.Newer: v.Say("newer"),
		transfer.Conflicting: v.Say("conflicting"), transfer.Held: v.Say("held back"),
	}[c], v.Say("rejected"))
}

// printImported prints the result for one file: the counts, then up to limit memories, those that
// need a person first.
func printImported(v *say.Voice, r *importedFile, limit int) error {
	changed := r.Counts[transfer.New] + r.Counts[transfer.Newer] + r.Counts[transfer.Conflicting]
	head := v.Say("%s: %d memories changed.", r.File, changed)
	if r.DryRun {
		head = v.Say("%s would change %d memories (nothing was written).", r.File, changed)
	}
	p := v.Page()
	p.Bold(head)
	if r.Signed != "" {
		p.Raw("  " + v.Say("signed by key %s", r.Signed))
	}
	if f := r.Facts; f != nil {
		p.Raw("  " + v.Say("New facts: %d. Known already: %d. Refused: %d.", len(f.New), f.Known, f.Bad))
		if len(f.New) > 0 && !r.Trust && !r.DryRun {
			for _, l := range say.Wrap(v.Say("They wait: no run is given them before a person confirms them. memtree know "+
				"list --open lists them."), v.Width-2) {
				p.Raw("  " + l)
			}
		}
	}
	if r.Risk != nil {
		p.Raw(riskLines(v, r.Risk, r.DryRun)...)
	}
	counts := make([]string, 0, len(r.Counts))
	for _, c := range transfer.Classes() {
		if n := r.Counts[c]; n > 0 {
			counts = append(counts, fmt.Sprintf("%s %d", className(v, c), n))
		}
	}
	if len(counts) > 0 {
		p.Add("  " + strings.Join(counts, " · "))
	}
	shown := slices.Clone(r.Items)
	slices.SortStableFunc(shown, func(x, y transfer.NodePlan) int {
		return cmp.Or(cmp.Compare(urgency(x.Class), urgency(y.Class)), cmp.Compare(y.Type.Level(), x.Type.Level()))
	})
	if limit > 0 {
		shown = shown[:min(limit, len(shown))]
	}
	p.Raw(itemLines(v, shown)...)
	if rest := len(r.Items) - len(shown); rest > 0 {
		p.Raw(v.Say("... and %d more (--limit 0 prints all)", rest))
	}
	if changed > 0 && !r.Trust {
		p.Add("", v.Say("What is new waits in quarantine. Look at it with `memtree tree --status "+
			"quarantined` or `memtree explain --quarantined`; `memtree promote ID` lets it be used."))
	}
	return v.Print(p.Lines...)
}

// urgency returns the rank of a class in the order of review, 0 for the most urgent.
func urgency(c transfer.Class) int {
	return slices.Index([]transfer.Class{transfer.Rejected, transfer.Conflicting, transfer.Held, transfer.Newer,
		transfer.New}, c)
}

// itemLines lists the class of each memory.
func itemLines(v *say.Voice, items []transfer.NodePlan) []string {
	if len(items) == 0 {
		return nil
	}
	t := &say.Table{Indent: "  ", Columns: []say.Column{{Head: ""}, {Head: v.Say("memory")},
		{Head: v.Say("error type"), Least: 16}, {Head: "", Least: 20}}}
	for i := range items {
		x := &items[i]
		t.Add(className(v, x.Class), short(x.ID), x.ErrorType, text.Fit(text.Line(x.Says), say.FullWidth))
	}
	rows := t.Lines(v.Width)
	p := v.Page()
	p.Raw("", v.Paint(say.Bold, rows[0]))
	for i := range items {
		p.Raw(rows[i+1])
		if why := items[i].Why; why != "" {
			p.Raw(under(importReason(v, why), v.Width)...)
		}
		for _, c := range items[i].Conflicts {
			p.Raw(under(conflictLine(v, &c), v.Width)...)
		}
	}
	return p.Lines
}

// under wraps a text that explains a row of a table, all its lines indented.
func under(s string, width int) []string {
	const indent = "      "
	lines := say.Wrap(s, width-len(indent))
	for i := range lines {
		lines[i] = indent + lines[i]
	}
	return lines
}

// importReason explains why a memory was held or rejected, in the language of the command. The rule that a rejected
// memory breaks stays in English.
func importReason(v *say.Voice, why string) string {
	return cmp.Or(map[string]string{
		transfer.WhyForgotten: v.Say("a person had it forgotten here"),
		transfer.WhyBanned:    v.Say("a person banned it here"),
		transfer.WhyStranger:  v.Say("a person elsewhere had it forgotten or banned; with --trust that holds here too"),
		transfer.WhyHeld:      v.Say("the memory here is in use and stays as it is; --trust would merge them"),
		transfer.WhyNothing:   v.Say("what it stands on is neither in the file nor here, so it is out of use"),
		transfer.WhyOtherType: v.Say("it has the id of a memory of another level"),
	}[why], text.Line(why))
}

// conflictLine names the part in which two versions of a memory differ, with the beginning of each.
func conflictLine(v *say.Voice, c *transfer.Conflict) string {
	const most = 200
	name := c.Part
	switch c.Part {
	case "lessons":
		name = v.Say("lessons")
	case "guidance":
		name = v.Say("guidance")
	case "errorType":
		name = v.Say("error type")
	}
	return v.Say("%s: here %q, there %q", name, text.Clip(text.Line(c.Ours), most), text.Clip(text.Line(c.Theirs), most))
}
