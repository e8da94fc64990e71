package main

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/curation"
	"github.com/memtree/memtree/formation"
	"github.com/memtree/memtree/ingest"
	"github.com/memtree/memtree/internal/cli/say"
	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/knowledge"
	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/tree"
)

// knowImportFlags are the flags of know import.
type knowImportFlags struct {
	o       ingest.StatementOptions
	by      string
	columns []string
	defects bool
	confirm bool
	dryRun  bool
}

func knowImportCommand(a *app) *cobra.Command {
	f := knowImportFlags{}
	c := &cobra.Command{
		Use:  "import FILE...",
		Args: arguments(a.Voice, 1, -1, a.Say("the files or folders")),
		RunE: func(c *cobra.Command, args []string) error { return knowImport(c.Context(), a, args, &f) },
	}
	c.Flags().StringVar(&f.o.Product, "product", "", a.Say("of what names no product"))
	c.Flags().StringArrayVar(&f.columns, "column", nil, a.Say("a column of a list of issues, as FIELD=NAME: statement, "+
		"state, fixed, product, page or key; may be repeated"))
	c.Flags().BoolVar(&f.defects, "defects", false, a.Say("take the defects that judged runs have in their truths"))
	c.Flags().BoolVar(&f.confirm, "confirm", false, a.Say("confirm what is new, in your name"))
	c.Flags().BoolVar(&f.dryRun, "dry-run", false, a.Say("say what would change, write nothing"))
	c.Flags().StringVar(&f.by, "by", "", a.Say("who decides; it is saved"))
	return c
}

// mostConfirmed is how many facts know import confirms at most.
const mostConfirmed = 1000

func knowImport(ctx context.Context, a *app, files []string, f *knowImportFlags) error {
	if err := columnsOf(a.Voice, f); err != nil {
		return err
	}
	var read []ingest.FileStatement
	var problems error
	for _, name := range files {
		some, err := statementsOf(a, name, f)
		read, problems = append(read, some...), errors.Join(problems, err)
	}
	list := make([]ledger.Statement, len(read))
	for i := range read {
		list[i] = read[i].Statement
	}
	return a.store.WriteUnless(ctx, f.dryRun, func(m *memtree.Memory) error {
		did, err := m.Knowledge().Import(ctx, list, cmp.Or(f.by, filepath.Base(files[0])), f.dryRun)
		if err != nil {
			return err
		}
		for _, p := range unjoined(problems) {
			a.Complain(p.Error())
		}
		for i, err := range did.Refused {
			if err != nil {
				a.Complain(read[i].At + ": " + err.Error())
			}
		}
		if f.confirm && !f.dryRun {
			if err := confirmNew(ctx, a.Voice, m, &did, f.by); err != nil {
				return err
			}
		}
		did.Bad += len(unjoined(problems))
		err = a.Result(did, importedFacts(a.Voice, &did, f)...)
		if did.Bad > 0 {
			err = errors.Join(err, say.ErrRejected)
		}
		return err
	})
}

// statementsOf reads the facts of a file.
func statementsOf(a *app, name string, f *knowImportFlags) ([]ingest.FileStatement, error) {
	if !f.defects {
		return ingest.ReadStatements(name, f.o)
	}
	file, err := a.files.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close() //nolint:errcheck // only read
	var out []ingest.FileStatement
	var problems error
	for e, err := range ingest.Read(name, file) {
		if err != nil {
			problems = errors.Join(problems, err)
			continue
		}
		e, _ = formation.Redact(e)
		s := ledger.Statement{Kind: ledger.KnownBug, Scope: tree.Scope{Product: cmp.Or(e.Scope.Product, f.o.Product)}}
		if at := cmp.Or(e.Scene.Route, e.Scene.ID); at != "" {
			s.Pages = []string{at}
		}
		if e.Scope.Build != "" {
			s.Builds = []string{e.Scope.Build}
		}
		for _, d := range formation.Defects(e.GroundTruth) {
			s.Text = text.Line(d)
			out = append(out, ingest.FileStatement{Statement: s, At: name + ", " + e.Key()})
		}
	}
	return out, problems
}

// columnsOf sets the columns that were named.
func columnsOf(v *say.Voice, f *knowImportFlags) error {
	f.o.Columns = map[string]string{}
	for _, c := range f.columns {
		field, name, ok := strings.Cut(c, "=")
		if _, known := ingest.IssueColumns()[field]; !ok || !known || name == "" {
			return v.Usage("--column is %s; use FIELD=NAME with statement, state, fixed, product, page or key", c)
		}
		f.o.Columns[field] = name
	}
	return nil
}

// unjoined returns the errors of a join.
func unjoined(err error) []error {
	if many, ok := err.(interface{ Unwrap() []error }); ok {
		var out []error
		for _, e := range many.Unwrap() {
			out = append(out, unjoined(e)...)
		}
		return out
	}
	if err == nil {
		return nil
	}
	return []error{err}
}

func confirmNew(ctx context.Context, v *say.Voice, m *memtree.Memory, did *knowledge.Imported, by string) error {
	for i := range did.New[:min(mostConfirmed, len(did.New))] {
		d, err := m.Curation().ConfirmFact(ctx, did.New[i].ID, curation.Options{By: by})
		if err != nil {
			return decisionFailure(v, err)
		}
		did.New[i] = *d.Fact
	}
	return nil
}

func importedFacts(v *say.Voice, did *knowledge.Imported, f *knowImportFlags) (out []string) {
	out = v.Wrap(v.Say("New facts: %d. Known already: %d. Refused: %d.", len(did.New), did.Known, did.Bad))
	for i := range did.New[:min(10, len(did.New))] {
		n := &did.New[i]
		out = append(out, "  "+short(n.ID)+"  "+text.Fit(n.Text, v.Width-14))
	}
	if rest := len(did.New) - 10; rest > 0 {
		out = append(out, "  "+v.Say("... and %d more", rest))
	}
	switch {
	case f.dryRun:
		out = append(out, v.Wrap(v.Say("Nothing was written."))...)
	case len(did.New) > 0 && (!f.confirm || len(did.New) > mostConfirmed):
		out = append(out, v.Wrap(v.Say("They wait: no run is given them before a person confirms them. memtree know list "+
			"--open lists them."))...)
	}
	return out
}
