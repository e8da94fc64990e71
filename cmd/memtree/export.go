package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/find"
	"github.com/memtree/memtree/internal/cli/say"
	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/store"
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

func exportCommand(a *app) *cobra.Command {
	o := &exportFlags{}
	c := &cobra.Command{
		Use:  "export FILE [flags]",
		Args: arguments(a.Voice, 1, 1, a.Say("the name of a file, or of a folder with --dir")),
		RunE: func(c *cobra.Command, args []string) error {
			if err := exportChoice(a.Voice, o); err != nil {
				return err
			}
			return runExport(c.Context(), a, args[0], o)
		},
	}
	f := c.Flags()
	f.BoolVar(&o.dryRun, "dry-run", false, a.Say("say what would leave, write nothing"))
	f.BoolVar(&o.dir, "dir", false, a.Say("FILE is a folder: a file an error type, a memory a line, for git"))
	f.BoolVar(&o.Redact, "redact", false, a.Say("take secrets, persons, addresses and numbers out of texts, make "+
		"hashes of names, leave cases out"))
	f.BoolVar(&o.Cases, "cases", false, a.Say("with --redact: cases leave too; a name in running text may stay in them"))
	f.BoolVar(&o.NoCases, "no-cases", false, a.Say("lessons alone; the cases they rest on leave as counts and hashes"))
	f.BoolVar(&o.Risk, "risk", false, a.Say("also say how many verdicts of each judge, product and type of scene were "+
		"right: names and counts alone"))
	f.BoolVar(&o.NoFacts, "no-facts", false, a.Say("memories alone, without what is known of the products"))
	f.StringSliceVar(&o.ErrorTypes, "type", nil, a.Say("only these error types"))
	f.StringVar(&o.scope, "scope", "", a.Say("only memories of PRODUCT, PRODUCT/SUITE or PRODUCT/SUITE/TEST"))
	f.StringVar(&o.level, "level", "", a.Say("only this level: case, experience or strategy"))
	f.Float64Var(&o.MinConfidence, "min-confidence", 0, a.Say("only memories trusted at least so much, 0 to 1"))
	f.StringVar(&o.since, "since", "", a.Say("only memories updated since this day, such as 2026-01-31"))
	f.StringVar(&o.format, "format", nativeForm,
		a.Say("memtree, or seed: a JSON array of the design's MemoryNode, for other programs"))
	f.StringVar(&o.sign, "sign", "", a.Say("sign with this secret key of minisign, into FILE.minisig (password in "+
		"MEMTREE_SIGN_PASSWORD, or asked for)"))
	f.StringVar(&o.pictures, "pictures", "", a.Say("also write the screenshots of the cases that leave into this folder"))
	f.BoolVar(&o.All, "all", false, a.Say("archived memories and imports that wait for promotion, too"))
	completes(c, "type", errorTypes(a.Voice))
	return c
}

// exportChoice parses the text flags into o, and refuses flags that do not go together.
func exportChoice(v *say.Voice, o *exportFlags) error {
	o.Level = tree.Type(o.level).Level()
	switch {
	case o.level != "" && o.Level == 0:
		return v.Usage("--level is %q; use case, experience or strategy", o.level)
	case !(o.MinConfidence >= 0 && o.MinConfidence <= 1): // also NaN
		return v.Usage("--min-confidence is %v; it lies in 0 to 1", o.MinConfidence)
	case o.format != nativeForm && o.format != seedForm:
		return v.Usage("--format is %q; use memtree or seed", o.format)
	case o.dir && o.format == seedForm:
		return v.Usage("--format seed is one file; leave --dir out")
	case o.Risk && o.format == seedForm:
		return v.Usage("--format seed has no place for --risk; leave one out")
	case o.Risk && strings.Contains(o.scope, "/"):
		return v.Usage("--risk counts the verdicts of a product; --scope PRODUCT goes with it, no suite or test")
	case o.pictures != "" && (o.Redact || o.NoCases):
		return v.Usage("--pictures shows what --redact and --no-cases leave out; leave one of them out")
	case o.Cases && (!o.Redact || o.NoCases):
		return v.Usage("--cases goes with --redact, and without --no-cases")
	case o.Redact && !o.Cases && o.level == string(tree.Case):
		return v.Usage("--redact leaves cases out, and --level case asks for them; add --cases")
	case o.NoCases && o.level == string(tree.Case):
		return v.Usage("--no-cases and --level case leave nothing to write")
	}
	if parts := strings.SplitN(o.scope, "/", 3); o.scope != "" {
		parts = append(parts, "", "")
		o.Scope = tree.Scope{Product: parts[0], Suite: parts[1], Test: parts[2]}
	}
	if o.since != "" {
		at, _, err := find.ParseTime("since", o.since)
		if err != nil {
			return noTime(v, "since", o.since)
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
	Risk    *ledger.Tally     `json:"risk,omitempty"`
	Facts   int               `json:"facts"` // leave with the memories
	Content transfer.Manifest `json:"manifest"`
	KeyID   string            `json:"keyId,omitempty"` // of the key that signed it

	Pictures int `json:"pictures"` // written screenshots
}

// exportTries is how often an export is tried when the tree changes while it is written.
const exportTries = 5

// runExport writes the memories to path and signs them on request. It reads the key first, so that a wrong password is
// reported before anything is written.
func runExport(ctx context.Context, a *app, path string, o *exportFlags) error {
	if !o.dir && strings.HasSuffix(path, "/") {
		return a.Usage("%s names a folder; add --dir, or name a file", path)
	}
	var key *transfer.SigningKey
	if o.sign != "" {
		var err error
		if key, err = transfer.ReadSigningKey(o.sign, func() (string, error) { return signPassword(a.Voice) }); err != nil {
			return keyFailure(a.Voice, err)
		}
	}
	return a.store.Read(ctx, func(m *memtree.Memory) error {
		var out exported
		var err error
		for try := range exportTries {
			out, err = exportOnce(ctx, a, m, path, o, try == 0)
			if !errors.Is(err, store.ErrConflict) {
				break
			}
		}
		if errors.Is(err, store.ErrConflict) {
			return a.Fail(err, "the tree keeps changing; export it when less is recorded")
		}
		if err != nil {
			return err
		}
		if !o.dryRun {
			if err := sign(a.Voice, path, key, &out); err != nil {
				return err
			}
		}
		if o.dryRun {
			return a.Result(out, a.Say("Nothing was written."))
		}
		lines := []string{a.Say("Wrote %s (%s).", path, say.Bytes(out.Bytes))}
		if o.pictures != "" {
			lines = append(lines, a.Say("Screenshots written into %s: %d.", o.pictures, out.Pictures))
		}
		if out.KeyID != "" {
			lines = append(lines, a.Say("Signed by key %s.", out.KeyID))
		}
		return a.Result(out, lines...)
	})
}

// exportOnce exports the tree as it is now. If aloud is set it prints what leaves. The error is store.ErrConflict if
// the tree changed while it was written.
func exportOnce(
	ctx context.Context, a *app, m *memtree.Memory, path string, o *exportFlags, aloud bool,
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
	if aloud && !a.JSON {
		if err := printLeaves(a.Voice, s, o); err != nil {
			return out, err
		}
	}
	if o.dryRun {
		for _, err := range s.Nodes(ctx) { // what is wrong with them
			if err != nil {
				return out, err
			}
		}
		return out, nil
	}
	form := transfer.Form(o.format)
	if o.dir {
		form = transfer.Folder
	}
	if out.Content, err = transfer.Write(path, form, s.Nodes(ctx), s.Beside); err != nil {
		return out, fileFailure(a.Voice, path, err)
	}
	if o.pictures != "" {
		if out.Pictures, err = exportPictures(ctx, a, m, s, o.pictures); err != nil {
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

// originsLine counts memories by the tree that made them; those made of cases of several trees have no tree.
func originsLine(v *say.Voice, origins map[string]int) string {
	several := origins[""]
	if several == 0 {
		return tallied(origins)
	}
	origins = maps.Clone(origins)
	delete(origins, "")
	return strings.TrimSuffix(fmt.Sprintf("%s %d, %s", v.Say("several trees"), several, tallied(origins)), ", ")
}

// printLeaves prints what leaves and what stays.
func printLeaves(v *say.Voice, leaves *transfer.Selection, o *exportFlags) error {
	s, p := &leaves.Summary, v.Page()
	p.Bold(v.Say("What leaves"))
	part := func(name, value string) {
		if value != "" {
			p.Part("  "+name, value)
		}
	}
	part(v.Say("memories"), v.Say("cases %d · experiences %d · strategies %d", s.Levels["case"], s.Levels["experience"],
		s.Levels["strategy"]))
	part(v.Say("error type"), tallied(s.Types))
	part(v.Say("status"), tallied(s.Statuses))
	if s.Tombstones > 0 {
		part(v.Say("forgotten"), v.Say("%d forgotten or banned: their ids, so that no import brings them back, and no text",
			s.Tombstones))
	}
	part(v.Say("product"), tallied(s.Products))
	part(v.Say("learned in"), originsLine(v, s.Origins))
	switch {
	case s.Prompts > 0 && !o.Redact:
		part(v.Say("texts"), v.Say("prompts, judgments and truths of %d cases, as they were recorded", s.Prompts))
	case s.Prompts > 0:
		part(v.Say("texts"), v.Say("prompts, judgments and truths of %d cases, redacted", s.Prompts))
	default:
		part(v.Say("texts"), v.Say("lessons alone, no prompt and no judgment"))
	}
	if n := len(leaves.Facts); n > 0 && o.format != seedForm {
		part(v.Say("facts"), v.Say("%d, as they are stated", n))
	}
	if leaves.Risk != nil {
		part(v.Say("verdicts"), tallyLine(v, leaves.Risk))
	}
	if o.Redact {
		part(v.Say("redacted"), v.Say("%d places", s.Redactions))
	}
	var left []string
	add := func(n int, sentence string) {
		if n > 0 {
			left = append(left, sentence)
		}
	}
	add(s.Archived, v.Say("archived: %d", s.Archived))
	add(s.Waiting, v.Say("imports that wait: %d", s.Waiting))
	add(s.Filtered, v.Say("not chosen: %d", s.Filtered))
	part(v.Say("stays here"), strings.Join(left, ", "))
	return v.Print(p.Lines...)
}

// fileFailure returns err as a sentence that names the file, if the file was refused or its signature is wrong. It
// returns other errors unchanged.
func fileFailure(v *say.Voice, path string, err error) error {
	if s, ok := errors.AsType[*transfer.SignatureError](err); ok {
		return signatureFailure(v, s)
	}
	if f, ok := errors.AsType[*transfer.UnusableError](err); ok {
		return v.Fail(err, "%s was refused, and nothing was changed: %s", path, fileProblem(v, f))
	}
	return err
}

// fileProblem returns what is wrong with a file, in the language of the user. What few files have stays in English.
func fileProblem(v *say.Voice, f *transfer.UnusableError) string {
	if f.Entry != "" {
		return f.Error()
	}
	said := map[string]string{
		"ends too early: it was cut off":               v.Say("the file ends too early: it was cut off"),
		"is not a plain file":                          v.Say("the file is not a plain file"),
		"is empty":                                     v.Say("the file is empty"),
		"has no manifest: its end is missing":          v.Say("the file has no manifest: its end is missing"),
		"goes on after its end":                        v.Say("the file goes on after its end"),
		"is no export of memtree, or is damaged":       v.Say("the file is no export of memtree, or is damaged"),
		"is no export of memtree, and no tree in JSON": v.Say("the file is no export of memtree, and no tree in JSON"),
	}
	problem, why, _ := strings.Cut(f.Problem, " (")
	if said[problem] == "" {
		return f.Error()
	}
	if why != "" {
		return said[problem] + " (" + why
	}
	return said[problem]
}

// exportPictures writes the screenshots of the exported cases into a folder, each named by its hash, and returns
// their number. It skips pictures that no longer exist.
func exportPictures(ctx context.Context, a *app, m *memtree.Memory, s *transfer.Selection, dir string) (int, error) {
	at, err := a.files.Path(dir)
	if err == nil {
		err = os.MkdirAll(at, 0o755) //nolint:gosec // the user names the folder
	}
	if err != nil {
		return 0, err
	}
	done := map[string]bool{}
	for n, err := range s.Nodes(ctx) {
		if err != nil {
			return len(done), err
		}
		if n.CaseData == nil || n.CaseData.Evidence == nil {
			continue
		}
		for i := range n.CaseData.Evidence.Pictures {
			name := filepath.Base(n.CaseData.Evidence.Pictures[i].File())
			b, _, err := m.Pictures().Get(ctx, n.CaseData.Evidence.Pictures[i].SHA256)
			switch {
			case errors.Is(err, tree.ErrNotFound) || done[name]:
				continue
			case err == nil:
				err = a.files.Write(filepath.Join(dir, name), b)
			}
			if err != nil {
				return len(done), err
			}
			done[name] = true
		}
	}
	return len(done), nil
}

// sign signs an export. Without a key it removes an older signature of the file.
func sign(v *say.Voice, path string, key *transfer.SigningKey, out *exported) (err error) {
	if key == nil {
		return transfer.Unsign(path)
	}
	if out.KeyID, err = key.Sign(path); err != nil {
		return fileFailure(v, path, err)
	}
	return nil
}

// signPassword returns the password of a locked key. It looks in the environment first and
// then asks on a terminal.
func signPassword(v *say.Voice) (string, error) {
	if word := v.Getenv("MEMTREE_SIGN_PASSWORD"); word != "" {
		return word, nil
	}
	f, ok := v.Stdin.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) { //nolint:gosec // a file descriptor
		return "", v.Fail(nil, "the key is locked; give its password in MEMTREE_SIGN_PASSWORD")
	}
	if _, err := v.Stderr.Write([]byte(v.Say("password of the key: "))); err != nil {
		return "", err
	}
	b, err := term.ReadPassword(int(f.Fd())) //nolint:gosec // a file descriptor
	_, _ = v.Stderr.Write([]byte("\n"))      // the terminal did not show the line break of the user
	return string(b), err
}

// keyFailure returns the problem of a file of keys.
func keyFailure(v *say.Voice, err error) error {
	if f, ok := errors.AsType[*transfer.UnusableError](err); ok {
		return &say.Failure{Text: f.Problem, Cause: err}
	}
	return err
}

// signatureFailure describes which of three problems a signature has.
func signatureFailure(v *say.Voice, e *transfer.SignatureError) error {
	switch {
	case errors.Is(e, transfer.ErrUnsigned):
		return v.Fail(e, "%s is not signed, and nothing was changed: there is no %s; "+
			"ask for it, or leave --verify out", e.Path, e.Path+".minisig")
	case errors.Is(e, transfer.ErrUnknownKey):
		return v.Fail(e, "%s is signed by key %s, which is none of those given with --verify; nothing was changed",
			e.Path, e.KeyID)
	}
	return v.Fail(e, "the signature of %s is broken, and nothing was changed: the file or the signature is not "+
		"what was signed; ask for both again", e.Path)
}
