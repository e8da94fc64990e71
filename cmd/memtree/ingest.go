package main

import (
	"cmp"
	"context"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/ingest"
	"github.com/memtree/memtree/ingest/report"
	"github.com/memtree/memtree/internal/cli/screen"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// ingestFlags are the flags of ingest.
type ingestFlags struct {
	truth, run, mapping string
	attachments, link   string
	pictures            *pictureKeeper
}

func (a *app) ingestCommand() *cobra.Command {
	f := ingestFlags{}
	c := &cobra.Command{
		Use:   "ingest FORMAT FILE... [flags]",
		Short: a.say("Record what test tools wrote: JUnit, Playwright, tables and others"),
		Long: a.say(`Reads the reports of test tools and records their runs. The formats:

  junit       JUnit's XML, of pytest, Playwright, Jest, Vitest and others
  playwright  what Playwright's JSON reporter writes
  midscene    Midscene's HTML reports, JSON dumps and summaries of runs
  promptfoo   what promptfoo eval --output writes as JSON
  allure      allure-results: the folder, a zip of it, or its *-result.json
  pytest      the JSON of pytest-json-report
  inspect     Inspect's logs, .eval and .json
  deepeval    DeepEval's test runs
  uibench     the GUI agent benchmark: its cases and raw-results.json
  csv         tables: CSV, TSV, and the first sheet of an XLSX workbook
  map         any JSON or JSON Lines, by a mapping (--map)

A test that failed says what it found, not whether it was right. So these runs have no truth; they wait for memtree ` +
			`label, or for --truth, a table with the columns id, truth and note as memtree label takes it. An id there may ` +
			`be the name of a test, such as test_cart.TestCart › test_total, or its title alone where no other has it.

What failed, the steps, links and screenshots (PNG, JPEG, WebP, of at most 8 MiB, 8 a run) are kept with the run and ` +
			`shown where a person judges it. A screenshot that a report names by a path is read from the report's own folder, ` +
			`or from --attachments, and from nowhere else.

A folder stands for the files in it that such tools write; folders within it and links are left out.

Attempts at one test count as one run, the last one. Skipped tests have no verdict and are no runs. A report that is ` +
			`read again changes nothing. Where two tools report one run, name it with --run, and each test counts once.

memtree record and the other commands that read runs know these files too by what is in them, but for map ` +
			`and uibench.`),
		Example: "  memtree ingest junit results.xml --truth labels.csv\n  memtree ingest allure allure-results/\n" +
			"  memtree ingest map runs.jsonl --map mapping.yaml",
		Args: a.arguments(2, -1, a.say("a format and one file or more")),
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveDefault
			}
			return formatNames(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(c *cobra.Command, args []string) error { return a.ingest(c.Context(), args[0], args[1:], &f) },
	}
	c.Flags().StringVar(&f.truth, "truth", "", a.say("a table of truths for these runs: id, truth, note"))
	c.Flags().StringVar(&f.run, "run", "", a.say("id of the run, the same for every report of it"))
	c.Flags().StringVar(&f.attachments, "attachments", "",
		a.say("folder of the screenshots that reports name; else the report's own"))
	c.Flags().StringVar(&f.link, "link", "", a.say("http or https address of a page about the run, such as the job of CI"))
	c.Flags().StringVar(&f.mapping, "map", "", a.say("mapping.yaml: which part of the file is what"))
	a.boundFlags(c)
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
	Skipped int       `json:"skipped"`         // tests without a verdict
	Alike   int       `json:"alike"`           // possible reports of other tools on a waiting run
	Truth   *toldFrom `json:"truth,omitempty"` // result of the table of truths

	Pictures ingestedPictures `json:"pictures"`
}

// ingestMemory is the soft memory limit of the runtime, in bytes: long reports leave much garbage.
const ingestMemory = 128 << 20

// bounded sets the memory limit while a report is read, unless the process serves others or the user set GOMEMLIMIT.
// release restores it.
func (a *app) bounded() (release func()) {
	if a.on != nil || a.getenv("GOMEMLIMIT") != "" {
		return func() {}
	}
	before := debug.SetMemoryLimit(ingestMemory)
	return func() { debug.SetMemoryLimit(before) }
}

func (a *app) ingest(ctx context.Context, format string, files []string, f *ingestFlags) error {
	defer a.bounded()()
	f.pictures = a.pictureKeeper(ctx, f.attachments)
	defer f.pictures.close()
	rd, err := a.reports(format, f)
	if err != nil {
		return err
	}
	if files, err = a.reportFiles(format, files); err != nil {
		return err
	}
	r := &recorder{}
	var l *labelling
	if f.truth != "" {
		if l, err = a.truths(ctx, f.truth); err != nil {
			return err
		}
		r.names = l.names
	}
	if r.intake, err = a.intake(files, a.say("recording")); err != nil {
		return err
	}
	r.reports, r.intake.run, r.fresh = rd, f.run, map[string]bool{}
	r.out.types = map[string]map[taxonomy.Direction]int{}
	err = a.with(ctx, writing, func(m *memtree.Memory) error {
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
		return a.ingestSummary(r, l, format, alike)
	})
	r.bar.End()
	if err == nil {
		err = r.err()
	}
	if err == nil && l != nil {
		err = l.err()
	}
	return err
}

// ingestSummary prints what was recorded, and the result of the table of truths.
func (a *app) ingestSummary(r *recorder, l *labelling, format string, alike int) error {
	if a.json {
		out := ingested{Format: format, Read: r.readRuns, recorded: r.out, Skipped: r.skipped, Alike: alike,
			Pictures: r.pictures}
		if l != nil {
			out.Truth = &l.out
		}
		return a.printJSON(out)
	}
	if err := r.summary(false); err != nil {
		return err
	}
	if err := a.print(a.pictureLines(&r.pictures)...); err != nil {
		return err
	}
	if alike > 0 && !a.quiet {
		note := a.say("%d of these tests also wait from another run, with the same verdict and at most half an hour apart. "+
			"If that is another tool's report of this run, tell only one of the two; next time give both the same --run, and "+
			"each test counts once.", alike)
		if err := a.print(a.Wrap(note)...); err != nil {
			return err
		}
	}
	switch {
	case l != nil:
		return l.told()
	case r.out.Unlabelled > 0 && !a.quiet:
		next := a.say("Next: memtree label asks which of these verdicts were right, or give a table of truths with --truth.")
		return a.print(a.Wrap(next)...)
	}
	return nil
}

// reports opens the reader of a format.
func (a *app) reports(format string, f *ingestFlags) (*report.Reader, error) {
	o := report.Options{Run: f.run, Link: f.link, Keep: f.pictures.keep}
	if link := (tree.Link{URL: f.link}); f.link != "" && (!link.Safe() || len(f.link) > tree.MaxName) {
		return nil, &usageError{a.say("--link is %q; use an http or https address", f.link)}
	}
	if !slices.Contains(formatNames(), format) {
		return nil, &usageError{a.say("there is no format %s; the formats are %s", format, strings.Join(formatNames(), ", "))}
	}
	switch known := report.Format(format); {
	case known == report.Map && f.mapping == "":
		return nil, &usageError{a.say("the format map takes --map mapping.yaml, which says what is where")}
	case known != report.Map && known != report.CSV && f.mapping != "":
		return nil, &usageError{a.say("--map goes with the formats map and csv")}
	}
	if f.mapping != "" {
		file, err := a.openNamed(f.mapping)
		if err != nil {
			return nil, err
		}
		defer file.Close() //nolint:errcheck // only read
		if o.Mapping, err = report.ReadMapping(f.mapping, file); err != nil {
			return nil, a.tableFailure(err)
		}
	}
	return report.NewReader(report.Format(format), o)
}

// truths reads a table of truths for the runs of reports.
func (a *app) truths(ctx context.Context, file string) (*labelling, error) {
	name, labels, err := a.readLabels(ctx, file)
	if err != nil {
		return nil, err
	}
	return a.newLabelling(name, labels, newTestNames(&labels)), nil
}

// newLabelling returns a labelling of a memory by a table.
func (a *app) newLabelling(name string, labels ingest.Labels, names *testNames) *labelling {
	return &labelling{intake: &intake{app: a, bar: a.progress(a.say("labelling"), screen.Count), rejected: []reject{}},
		file: name, labels: labels, names: names, out: toldFrom{Empty: labels.Empty}}
}

// end records the runs that reports held back for another attempt.
func (r *recorder) end(ctx context.Context) error {
	if r.reports == nil {
		return nil
	}
	err := r.take(ctx, "", r.reports.End(), r.taker(ctx, ""))
	r.skipped += r.reports.Skipped
	r.pictures.note(r.reports)
	return cmp.Or(err, r.flush(ctx, ""))
}
