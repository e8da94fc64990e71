package main

import (
	"cmp"
	"context"
	"errors"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/ingest/report"
	"github.com/memtree/memtree/internal/cli/input"
	"github.com/memtree/memtree/internal/cli/say"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// ingestFlags are the flags of ingest.
type ingestFlags struct {
	truth, run, mapping string
	attachments, link   string
	pictures            *pictureKeeper
}

func ingestCommand(a *app) *cobra.Command {
	f := ingestFlags{}
	c := &cobra.Command{
		Use:  "ingest FORMAT FILE... [flags]",
		Args: arguments(a.Voice, 2, -1, a.Say("a format and one file or more")),
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveDefault
			}
			return formatNames(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(c *cobra.Command, args []string) error { return runIngest(c.Context(), a, args[0], args[1:], &f) },
	}
	c.Flags().StringVar(&f.truth, "truth", "", a.Say("a table of truths for these runs: id, truth, note"))
	c.Flags().StringVar(&f.run, "run", "", a.Say("id of the run, the same for every report of it"))
	c.Flags().StringVar(&f.attachments, "attachments", "",
		a.Say("folder of the screenshots that reports name; else the report's own"))
	c.Flags().StringVar(&f.link, "link", "", a.Say("http or https address of a page about the run, such as the job of CI"))
	c.Flags().StringVar(&f.mapping, "map", "", a.Say("mapping.yaml: which part of the file is what"))
	a.model.Flags(c)
	return c
}

func formatNames() []string {
	var out []string
	for _, f := range report.Formats() {
		out = append(out, string(f))
	}
	return out
}

// ingested is the result, as --json prints it.
type ingested struct {
	Format string `json:"format"`
	Read   int    `json:"read"` // runs in the files
	recorded
	Skipped int          `json:"skipped"`         // tests without a verdict
	Alike   int          `json:"alike"`           // possible reports of other tools on a waiting run
	Truth   *tableResult `json:"truth,omitempty"` // result of the table of truths

	Pictures input.Pictures `json:"pictures"`
}

func runIngest(ctx context.Context, a *app, format string, files []string, f *ingestFlags) error {
	defer a.store.Bounded()()
	f.pictures = newPictureKeeper(ctx, a, f.attachments)
	defer f.pictures.close()
	rd, err := reports(a, format, f)
	if err != nil {
		return err
	}
	if files, err = a.files.Reports(format, files); err != nil {
		return err
	}
	r := &recorder{app: a}
	var l *labelling
	if f.truth != "" {
		if l, err = truths(ctx, a, f.truth); err != nil {
			return err
		}
		r.names = l.names
	}
	if r.RunFiles, err = a.files.RunFiles(files, a.Say("recording")); err != nil {
		return err
	}
	r.Reports, r.RunFiles.Run, r.fresh = rd, f.run, map[string]bool{}
	r.out.types = map[string]map[taxonomy.Direction]int{}
	err = a.store.Write(ctx, func(m *memtree.Memory) error {
		r.mem, f.pictures.mem = m, m
		if err := r.work(ctx, files, false); err != nil {
			return err
		}
		if l != nil {
			if err := l.run(ctx, m); err != nil {
				return err
			}
		}
		alike, err := r.alike(ctx)
		if err != nil {
			return err
		}
		return ingestSummary(a.Voice, r, l, format, alike)
	})
	r.Bar.End()
	if err == nil {
		err = r.Err(r.out.taken())
	}
	if err == nil && l != nil {
		err = l.Err(l.taken())
	}
	return err
}

// ingestSummary prints what was recorded, and the result of the table of truths.
func ingestSummary(v *say.Voice, r *recorder, l *labelling, format string, alike int) error {
	if v.JSON {
		out := ingested{Format: format, Read: r.readRuns, recorded: r.out, Skipped: r.Skipped, Alike: alike,
			Pictures: r.Pictures}
		if l != nil {
			out.Truth = &l.out
		}
		return v.PrintJSON(out)
	}
	if err := r.summary(false); err != nil {
		return err
	}
	if err := v.Print(pictureLines(v, &r.Pictures)...); err != nil {
		return err
	}
	if alike > 0 && !v.Quiet {
		note := v.Say("%d of these tests also wait from another run, with the same verdict and at most half an hour apart. "+
			"If that is another tool's report of this run, tell only one of the two; next time give both the same --run, and "+
			"each test counts once.", alike)
		if err := v.Print(v.Wrap(note)...); err != nil {
			return err
		}
	}
	switch {
	case l != nil:
		return l.printed()
	case r.out.Unlabelled > 0 && !v.Quiet:
		next := v.Say("Next: memtree label asks which of these verdicts were right, or give a table of truths with --truth.")
		return v.Print(v.Wrap(next)...)
	}
	return nil
}

// reports opens the reader of a format.
func reports(a *app, format string, f *ingestFlags) (*report.FileReader, error) {
	o := report.Options{Run: f.run, Link: f.link, Keep: f.pictures.keep}
	if link := (tree.Link{URL: f.link}); f.link != "" && (!link.Safe() || len(f.link) > tree.MaxName) {
		return nil, a.Usage("--link is %q; use an http or https address", f.link)
	}
	if !slices.Contains(formatNames(), format) {
		return nil, a.Usage("there is no format %s; the formats are %s", format, strings.Join(formatNames(), ", "))
	}
	switch known := report.Format(format); {
	case known == report.Map && f.mapping == "":
		return nil, a.Usage("the format map takes --map mapping.yaml, which says what is where")
	case known != report.Map && known != report.CSV && f.mapping != "":
		return nil, a.Usage("--map goes with the formats map and csv")
	}
	if f.mapping != "" {
		file, err := a.files.Open(f.mapping)
		if err != nil {
			return nil, err
		}
		defer file.Close() //nolint:errcheck // only read
		if o.Mapping, err = report.ReadMapping(f.mapping, file); err != nil {
			return nil, tableFailure(a, err)
		}
	}
	return report.NewReader(report.Format(format), o)
}

// truths reads a table of truths for the runs of reports.
func truths(ctx context.Context, a *app, file string) (*labelling, error) {
	name, labels, err := readLabels(ctx, a, file)
	if err != nil {
		return nil, err
	}
	return newLabelling(a, name, labels, newTestNames(&labels)), nil
}

// newLabelling returns a labelling of a memory by a table.
func newLabelling(a *app, name string, labels report.Labels, names *testNames) *labelling {
	return &labelling{app: a, RunFiles: a.files.Refusals(a.Say("labelling")),
		file: name, labels: labels, names: names, out: tableResult{Empty: labels.Empty}}
}

// end records the runs that reports held back for another attempt.
func (r *recorder) end(ctx context.Context) error {
	if r.Reports == nil {
		return nil
	}
	err := r.Take(ctx, "", r.Reports.End(), r.taker(ctx, ""))
	r.Skipped += r.Reports.Skipped
	r.Pictures.Add(r.Reports)
	return cmp.Or(err, r.flush(ctx, ""))
}

// pictureKeeper stores the pictures of reports beside the store.
type pictureKeeper struct {
	*app
	ctx     context.Context //nolint:containedctx // the reader of reports has none
	mem     *memtree.Memory
	folder  string // folder of the attachments; "": that of the report
	folders map[string]*report.Attachments
}

func newPictureKeeper(ctx context.Context, a *app, folder string) *pictureKeeper {
	return &pictureKeeper{app: a, ctx: ctx, folder: folder, folders: map[string]*report.Attachments{}}
}

// keep stores one picture; see report.Options.
func (k *pictureKeeper) keep(s report.Shot) (tree.Picture, error) {
	name := cmp.Or(s.Name, path.Base(strings.ReplaceAll(s.Path, `\`, "/")))
	if s.Data != nil {
		return k.mem.Pictures().Keep(k.ctx, name, s.Data)
	}
	from, err := k.attachments(s.Report)
	if err != nil {
		return tree.Picture{}, err
	}
	f, err := from.Open(s.Path)
	if err != nil {
		return tree.Picture{}, err
	}
	p, err := k.mem.Pictures().Keep(k.ctx, name, f)
	return p, errors.Join(err, f.Close())
}

// attachments opens the folder with the attachments of a report.
func (k *pictureKeeper) attachments(file string) (*report.Attachments, error) {
	folder := k.folder
	if folder == "" {
		if file == k.files.Name("-") {
			return nil, &tree.FieldError{Field: "picture",
				Problem: "is a file, and standard input has no folder; name the folder that has it with --attachments"}
		}
		folder = filepath.Dir(file)
	}
	if from := k.folders[folder]; from != nil {
		return from, nil
	}
	at, err := k.files.Path(folder)
	if err != nil {
		return nil, err
	}
	from, err := report.OpenAttachments(at)
	if err == nil {
		k.folders[folder] = from
	}
	return from, err
}

func (k *pictureKeeper) close() {
	for _, f := range k.folders {
		_ = f.Close() // only read
	}
}

// shownLeft limits the printed reasons.
const shownLeft = 5

// pictureLines describes the result for the pictures of reports.
func pictureLines(v *say.Voice, p *input.Pictures) (out []string) {
	if n := p.Kept - p.Again; n > 0 && !v.Quiet {
		out = append(out, v.Wrap(v.Say("Screenshots kept: %d; label, show and the pages have them.", n))...)
	}
	if p.Again > 0 && !v.Quiet {
		out = append(out, v.Wrap(v.Say("Screenshots of runs that were recorded before: %d. Such a run keeps those it was "+
			"recorded with, and gets no new ones.", p.Again))...)
	}
	if p.Left > 0 {
		out = append(out, v.Wrap(v.Say("Screenshots left out: %d. Their runs are recorded all the same.", p.Left))...)
	}
	for _, l := range p.Why[:min(shownLeft, len(p.Why))] {
		out = append(out, v.Wrap("  "+l.File+": "+l.Picture+" "+v.Mistake(l.Problem))...)
	}
	return out
}
