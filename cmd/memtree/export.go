package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/internal/cli/screen"
	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/transfer"
	"github.com/memtree/memtree/tree"
)

// exportFlags are the flags of export.
type exportFlags struct {
	transfer.ExportOptions
	scope, level, since, format string
	sign, pictures              string
	dir, dryRun                 bool
}

// The forms of an export.
const (
	nativeForm = "memtree"
	seedForm   = "seed"
)

func (a *app) exportCommand() *cobra.Command {
	o := &exportFlags{}
	c := &cobra.Command{
		Use:   "export FILE [flags]",
		Short: a.say("Write memories to a file, for another team or a branch"),
		Long: a.say(`Writes the tree, or the part of it that flags choose, to one file, or with --dir to a folder made ` +
			`for git. What leaves is said first; --dry-run says it and writes nothing. The same tree gives the same bytes.

A lesson brings the cases it rests on, with their prompts, judgments and truths. With --redact ` +
			`lessons leave alone; --cases adds the cases, in which a name in running text may stay.`),
		Example: "  memtree export shop.memtree\n  memtree export shop.memtree --redact\n" +
			"  memtree export memories --dir --type form_validation_error",
		Args: a.arguments(1, 1, a.say("the name of a file, or of a folder with --dir")),
		RunE: func(c *cobra.Command, args []string) error {
			if err := a.exportChoice(o); err != nil {
				return err
			}
			return a.export(c.Context(), args[0], o)
		},
	}
	f := c.Flags()
	f.BoolVar(&o.dryRun, "dry-run", false, a.say("say what would leave, write nothing"))
	f.BoolVar(&o.dir, "dir", false, a.say("FILE is a folder: a file an error type, a memory a line, for git"))
	f.BoolVar(&o.Redact, "redact", false, a.say("take secrets, persons, addresses and numbers out of texts, make "+
		"hashes of names, leave cases out"))
	f.BoolVar(&o.Cases, "cases", false, a.say("with --redact: cases leave too; a name in running text may stay in them"))
	f.BoolVar(&o.NoCases, "no-cases", false, a.say("lessons alone; the cases they rest on leave as counts and hashes"))
	f.BoolVar(&o.Risk, "risk", false, a.say("also say how many verdicts of each judge, product and type of scene were "+
		"right: names and counts alone"))
	f.BoolVar(&o.NoFacts, "no-facts", false, a.say("memories alone, without what is known of the products"))
	f.StringSliceVar(&o.ErrorTypes, "type", nil, a.say("only these error types"))
	f.StringVar(&o.scope, "scope", "", a.say("only memories of PRODUCT, PRODUCT/SUITE or PRODUCT/SUITE/TEST"))
	f.StringVar(&o.level, "level", "", a.say("only this level: case, experience or strategy"))
	f.Float64Var(&o.MinConfidence, "min-confidence", 0, a.say("only memories trusted at least so much, 0 to 1"))
	f.StringVar(&o.since, "since", "", a.say("only memories updated since this day, such as 2026-01-31"))
	f.StringVar(&o.format, "format", nativeForm,
		a.say("memtree, or seed: a JSON array of the design's MemoryNode, for other programs"))
	f.StringVar(&o.sign, "sign", "", a.say("sign with this secret key of minisign, into FILE.minisig (password in "+
		"MEMTREE_SIGN_PASSWORD, or asked for)"))
	f.StringVar(&o.pictures, "pictures", "", a.say("also write the screenshots of the cases that leave into this folder"))
	f.BoolVar(&o.All, "all", false, a.say("archived memories and imports that wait for promotion, too"))
	// The error is dropped, since it comes only for a flag that does not exist.
	_ = c.RegisterFlagCompletionFunc("type",
		func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
			return a.errorTypes(), cobra.ShellCompDirectiveNoFileComp
		})
	return c
}

// exportChoice parses the text flags into o, and refuses flags that do not go together.
func (a *app) exportChoice(o *exportFlags) error {
	o.Level = tree.Type(o.level).Level()
	switch {
	case o.level != "" && o.Level == 0:
		return &usageError{a.say("--level is %q; use case, experience or strategy", o.level)}
	case o.MinConfidence < 0 || o.MinConfidence > 1:
		return &usageError{a.say("--min-confidence is %v; it lies in 0 to 1", o.MinConfidence)}
	case o.format != nativeForm && o.format != seedForm:
		return &usageError{a.say("--format is %q; use memtree or seed", o.format)}
	case o.dir && o.format == seedForm:
		return &usageError{a.say("--format seed is one file; leave --dir out")}
	case o.Risk && o.format == seedForm:
		return &usageError{a.say("--format seed has no place for --risk; leave one out")}
	case o.Risk && strings.Contains(o.scope, "/"):
		return &usageError{a.say("--risk counts the verdicts of a product; --scope PRODUCT goes with it, no suite or test")}
	case o.pictures != "" && (o.Redact || o.NoCases):
		return &usageError{a.say("--pictures shows what --redact and --no-cases leave out; leave one of them out")}
	case o.Cases && (!o.Redact || o.NoCases):
		return &usageError{a.say("--cases goes with --redact, and without --no-cases")}
	case o.Redact && !o.Cases && o.level == string(tree.Case):
		return &usageError{a.say("--redact leaves cases out, and --level case asks for them; add --cases")}
	case o.NoCases && o.level == string(tree.Case):
		return &usageError{a.say("--no-cases and --level case leave nothing to write")}
	}
	if parts := strings.SplitN(o.scope, "/", 3); o.scope != "" {
		parts = append(parts, "", "")
		o.Scope = tree.Scope{Product: parts[0], Suite: parts[1], Test: parts[2]}
	}
	if o.since != "" {
		at, err := time.Parse(time.DateOnly, o.since)
		if err != nil {
			if at, err = time.Parse(time.RFC3339, o.since); err != nil {
				return &usageError{a.say("--since is %q; write a day as 2026-01-31", o.since)}
			}
		}
		o.Since = at
	}
	return nil
}

// exported is the result, as --json prints it.
type exported struct {
	File    string            `json:"file"`
	DryRun  bool              `json:"dryRun"`
	Bytes   int64             `json:"bytes"`
	Leaves  transfer.Summary  `json:"leaves"`
	Risk    *tree.Tally       `json:"risk,omitempty"`
	Facts   int               `json:"facts"` // leave with the memories
	Content transfer.Manifest `json:"manifest"`
	KeyID   string            `json:"keyId,omitempty"` // of the key that signed it

	Pictures int `json:"pictures"` // written screenshots
}

// exportTries is how often an export is tried when the tree changes while it is written.
const exportTries = 5

// export writes the memories to path and signs them on request. It reads the key first, so that a wrong password is
// reported before anything is written.
func (a *app) export(ctx context.Context, path string, o *exportFlags) error {
	if !o.dir && strings.HasSuffix(path, "/") {
		return &usageError{a.say("%s names a folder; add --dir, or name a file", path)}
	}
	var key *transfer.SigningKey
	if o.sign != "" {
		var err error
		if key, err = transfer.ReadSigningKey(o.sign, a.signPassword); err != nil {
			return a.keyFailure(err)
		}
	}
	return a.with(ctx, reading, func(m *memtree.Memory) error {
		var out exported
		var err error
		for try := range exportTries {
			out, err = a.exportOnce(ctx, m, path, o, try == 0)
			if !errors.Is(err, tree.ErrConflict) {
				break
			}
		}
		if errors.Is(err, tree.ErrConflict) {
			return &failure{a.say("the tree keeps changing; export it when less is recorded"), err}
		}
		if err != nil {
			return err
		}
		if !o.dryRun {
			if err := a.sign(path, key, &out); err != nil {
				return err
			}
		}
		if a.json {
			return a.printJSON(out)
		}
		if o.dryRun {
			return a.print(a.say("Nothing was written."))
		}
		lines := []string{a.say("Wrote %s (%s).", path, screen.Bytes(out.Bytes))}
		if o.pictures != "" {
			lines = append(lines, a.say("Screenshots written into %s: %d.", o.pictures, out.Pictures))
		}
		if out.KeyID != "" {
			lines = append(lines, a.say("Signed by key %s.", out.KeyID))
		}
		return a.print(lines...)
	})
}

// exportOnce exports the tree as it is now. If tell is set it prints what leaves. The error is tree.ErrConflict if
// the tree changed while it was written.
func (a *app) exportOnce(
	ctx context.Context, m *memtree.Memory, path string, o *exportFlags, tell bool,
) (exported, error) {
	out := exported{File: path, DryRun: o.dryRun}
	s, err := m.Transfer().Export(ctx, &o.ExportOptions)
	if err != nil {
		return out, err
	}
	out.Leaves, out.Risk = s.Summary, s.Risk
	if o.format != seedForm {
		out.Facts = len(s.Facts)
	}
	if tell && !a.json {
		if err := a.printLeaves(s, o); err != nil {
			return out, err
		}
	}
	if o.dryRun {
		return out, nil
	}
	form := transfer.Form(o.format)
	if o.dir {
		form = transfer.Folder
	}
	if out.Content, err = transfer.Write(path, form, s.Nodes(ctx), s.Beside); err != nil {
		return out, a.fileFailure(path, err)
	}
	if o.pictures != "" {
		if out.Pictures, err = a.exportPictures(ctx, m, s, o.pictures); err != nil {
			return out, err
		}
	}
	out.Bytes, err = sizeOf(path)
	return out, err
}

// sizeOf returns the bytes of a file, or of the files in a folder.
func sizeOf(path string) (total int64, err error) {
	err = filepath.WalkDir(path, func(_ string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			total += info.Size()
		}
		return err
	})
	return total, err
}

// printLeaves prints what leaves and what stays.
func (a *app) printLeaves(leaves *transfer.Selection, o *exportFlags) error {
	s, p := &leaves.Summary, &screen.Page{Width: a.Width}
	p.Lines = append(p.Lines, a.Paint(screen.Bold, a.say("What leaves")))
	part := func(name, value string) {
		if value != "" {
			p.Part("  "+name, value)
		}
	}
	part(a.say("memories"), a.say("cases %d · experiences %d · strategies %d", s.Levels["case"], s.Levels["experience"],
		s.Levels["strategy"]))
	part(a.say("error type"), tallied(s.Types))
	part(a.say("status"), tallied(s.Statuses))
	if s.Tombstones > 0 {
		part(a.say("forgotten"), a.say("%d forgotten or banned: their ids, so that no import brings them back, and no text",
			s.Tombstones))
	}
	part(a.say("product"), tallied(s.Products))
	part(a.say("learned in"), tallied(s.Origins))
	switch {
	case s.Prompts > 0 && !o.Redact:
		part(a.say("texts"), a.say("prompts, judgments and truths of %d cases, as they were recorded", s.Prompts))
	case s.Prompts > 0:
		part(a.say("texts"), a.say("prompts, judgments and truths of %d cases, redacted", s.Prompts))
	default:
		part(a.say("texts"), a.say("lessons alone, no prompt and no judgment"))
	}
	if n := len(leaves.Facts); n > 0 && o.format != seedForm {
		part(a.say("facts"), a.say("%d, as they are stated", n))
	}
	if leaves.Risk != nil {
		part(a.say("verdicts"), a.tallyLine(leaves.Risk))
	}
	if o.Redact {
		part(a.say("redacted"), a.say("%d places", s.Redactions))
	}
	var left []string
	add := func(n int, sentence string) {
		if n > 0 {
			left = append(left, sentence)
		}
	}
	add(s.Archived, a.say("archived: %d", s.Archived))
	add(s.Waiting, a.say("imports that wait: %d", s.Waiting))
	add(s.Filtered, a.say("not chosen: %d", s.Filtered))
	part(a.say("stays here"), strings.Join(left, ", "))
	return a.print(p.Lines...)
}

// tallied lists names with their counts, sorted by name.
func tallied(m map[string]int) string {
	parts := make([]string, 0, len(m))
	for _, k := range slices.Sorted(maps.Keys(m)) {
		parts = append(parts, fmt.Sprintf("%s %d", text.Line(k), m[k]))
	}
	return strings.Join(parts, ", ")
}

// fileFailure returns err as a sentence that names the file, if the file was refused or its signature is wrong. It
// returns other errors unchanged.
func (a *app) fileFailure(path string, err error) error {
	if s, ok := errors.AsType[*transfer.SignatureError](err); ok {
		return a.signatureFailure(s)
	}
	if f, ok := errors.AsType[*transfer.RefusedError](err); ok {
		return &failure{a.say("%s was refused, and nothing was changed: %s", path, f.Error()), err}
	}
	return err
}
