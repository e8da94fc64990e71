package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/formation"
	"github.com/memtree/memtree/internal/cli/input"
	"github.com/memtree/memtree/internal/cli/model"
	"github.com/memtree/memtree/internal/cli/say"
	"github.com/memtree/memtree/internal/judgment"
	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

func recordCommand(a *app) *cobra.Command {
	async, dry, run := false, false, ""
	c := &cobra.Command{
		Use:  "record FILE... [flags]",
		Args: arguments(a.Voice, 1, -1, a.Say("one file or more, or - for standard input")),
		RunE: func(c *cobra.Command, args []string) error {
			if dry {
				return recordDry(c.Context(), a, args, run)
			}
			return runRecord(c.Context(), a, args, run, async)
		},
	}
	c.Flags().StringVar(&run, "run", "", a.Say("id of the run, for lines that have neither id nor run_id"))
	c.Flags().BoolVar(&async, "async", false, a.Say("do not wait for cases to be formed; the next record goes on with it"))
	c.Flags().BoolVar(&dry, "dry-run", false, a.Say("say what would be accepted and asked, write nothing, ask no model"))
	a.model.Flags(c)
	return c
}

// batchRuns and batchBytes limit a batch of recorded runs; batchBytes is approximate. A batch is large enough that
// the disk's fsync hardly matters, and small enough that an interrupt loses little.
const (
	batchRuns  = 256
	batchBytes = 4 << 20
)

// mostFresh limits the runs that are checked for reports of other tools, to bound memory.
const mostFresh = 10_000

// recorded is the result, as --json prints it.
type recorded struct {
	Accepted    int            `json:"accepted"`
	Duplicate   int            `json:"duplicate"`
	Correct     int            `json:"correct"` // of Accepted
	Wrong       int            `json:"wrong"`
	Unlabelled  int            `json:"unlabelled"`
	Apart       int            `json:"apart,omitempty"` // they show nothing about their judge
	Waited      int            `json:"waited"`          // new cases of runs that an earlier command recorded
	Formed      int            `json:"formed"`          // new cases of Accepted
	Occurrences int            `json:"occurrences"`     // of known cases
	Analysis    analysed       `json:"analysis"`        // of the new cases
	Rejected    []input.Reject `json:"rejected"`
	RejectCount int            `json:"rejectedCount"` // Rejected lists the first 10,000

	Unread []input.UnreadField `json:"unread,omitempty"` // ignored fields of the files

	ByModel       int               `json:"byModel"`       // of the new cases
	ByRules       int               `json:"byRules"`       // likewise
	ModelFailures int               `json:"modelFailures"` // calls without a usable answer
	Calls         int               `json:"calls"`         // of the model
	Model         model.UsageReport `json:"model"`         // calls and their cost

	types map[string]map[taxonomy.Direction]int
	left  int // still in the outbox
	dead  int // could not be formed
}

// recorder is the state of one record command.
type recorder struct {
	*app
	*input.RunFiles
	mem   *memtree.Memory
	out   recorded
	batch []tree.Evaluation
	size  int
	texts []string // of the cases that a dry run would create

	fresh map[string]bool // keys of accepted unlabelled runs of reports, up to mostFresh

	waiting map[string]judgment.Polarity // unlabelled verdicts by key; nil: not read yet

	mine map[string]bool // keys of accepted runs, if others record at the same time; nil: all new runs are ours

	readRuns int        // runs read
	names    *testNames // test names in reports, if labels are looked up by them; or nil
	nameless bool       // a duplicate has neither id nor run_id, so it may be another run with equal content
}

// runRecord records the runs of files, and waits until cases are formed unless async is set. run is the run id for
// lines without one.
func runRecord(ctx context.Context, a *app, files []string, run string, async bool) error {
	in, err := a.files.RunFiles(files, a.Say("recording"))
	if err != nil {
		return err
	}
	pictures := newPictureKeeper(ctx, a, "")
	defer pictures.close()
	in.Run, in.Keep = run, pictures.keep
	r := &recorder{app: a, RunFiles: in}
	r.out.types = map[string]map[taxonomy.Direction]int{}
	err = a.store.Write(ctx, func(m *memtree.Memory) error {
		r.mem, pictures.mem = m, m
		if a.store.Guest != nil || a.store.Shared() {
			r.mine = map[string]bool{}
		}
		return r.run(ctx, files, async)
	})
	in.Bar.End()
	if err != nil {
		return err
	}
	return in.Err(r.out.taken())
}

// run records all files, and prints the result.
func (r *recorder) run(ctx context.Context, files []string, async bool) error {
	if err := r.work(ctx, files, async); err != nil {
		return err
	}
	if r.JSON {
		return r.PrintJSON(r.out)
	}
	if err := r.summary(async); err != nil {
		return err
	}
	return r.Print(pictureLines(r.Voice, &r.Pictures)...)
}

// work records all files and collects the result.
func (r *recorder) work(ctx context.Context, files []string, async bool) error {
	if !async {
		// Runs of an earlier command are formed first, so that their cases are not attributed to this one.
		before := 0
		if r.store.Guest != nil || r.store.Shared() { // of a service, which counts since its start
			before = r.mem.Health().Formed.Cases
		}
		err := r.form(ctx)
		r.out.Waited = r.mem.Health().Formed.Cases - before
		if err != nil {
			return r.stopped(err)
		}
	}
	before, err := r.mem.Tree().Info(ctx)
	if err != nil {
		return err
	}
	formed := r.mem.Health().Formed
	for _, name := range files {
		if err := r.file(ctx, name); err != nil {
			return r.stopped(err)
		}
	}
	if err := r.end(ctx); err != nil {
		return r.stopped(err)
	}
	if !async {
		if err := r.form(ctx); err != nil {
			return r.stopped(err)
		}
	}
	if err := r.tally(ctx, before); err != nil {
		return err
	}
	r.out.Analysis = since(r.mem.Health().Formed, formed)
	r.account()
	r.Bar.End()
	r.Hidden()
	r.model.Halted(r.mem.Health().Model, sum(r.out.Analysis.Unanswered))
	r.out.Rejected, r.out.RejectCount, r.out.Unread = r.Rejected, r.Rejects, r.Unknown
	return nil
}

// stopped returns the error of an interrupted record command. It reports how many runs were recorded and how to
// continue.
func (r *recorder) stopped(err error) error {
	r.Bar.End()
	text := r.Sentence(err)
	if n := r.out.Accepted; n > 0 {
		text += r.Say("; the %d runs accepted before that are kept; give the same command again to go on, nothing is "+
			"recorded twice", n)
	} else if n := r.out.Waited; n > 0 {
		text += r.Say("; nothing new was recorded, but of the runs recorded before %d new cases were formed, which are "+
			"kept; give the same command again to go on", n)
	} else if errors.Is(err, context.Canceled) {
		text += r.Say("; nothing was recorded")
	}
	return &say.Failure{Text: text, Cause: err}
}

// file records one file. If reading it fails, the runs before the failure are recorded.
func (r *recorder) file(ctx context.Context, name string) error {
	err := r.RunFiles.File(ctx, name, r.taker(ctx, name))
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return errors.Join(err, r.flush(ctx, name))
}

// taker returns a function that adds a run of a file to the batch.
func (r *recorder) taker(ctx context.Context, name string) func(*tree.Evaluation) error {
	return func(e *tree.Evaluation) error {
		r.readRuns++
		r.names.meet(e)
		r.batch = append(r.batch, *e)
		r.size += len(e.Prompt) + len(e.Observation) + len(e.Judgment) + len(e.GroundTruth) + len(e.Reason)
		if len(r.batch) >= batchRuns || r.size >= batchBytes {
			return r.flush(ctx, name)
		}
		return nil
	}
}

// flush records the batch and empties it. name is the file of the runs.
func (r *recorder) flush(ctx context.Context, name string) error {
	if len(r.batch) == 0 {
		return nil
	}
	receipts, err := r.mem.RecordAll(ctx, r.batch)
	if err != nil {
		return err
	}
	for i, receipt := range receipts {
		switch receipt.Status {
		case store.Accepted:
			r.accepted(&r.batch[i])
			if r.mine != nil {
				r.mine[receipt.Key] = true
			}
		case store.Duplicate:
			r.out.Duplicate++
			r.again(&r.batch[i])
			r.nameless = r.nameless || r.batch[i].ID == "" && r.batch[i].RunID == ""
		case store.Contradiction:
			if receipt.By != "" {
				r.Reject(input.Reject{File: name, Field: "id",
					Error: r.Say("%s: %s labelled this run otherwise, which stays; relabel it to replace that", receipt.Key,
						r.Names().Who(receipt.By))})
				continue
			}
			if same, err := r.sameVerdict(ctx, &r.batch[i]); err != nil || same {
				r.out.Duplicate++
				r.again(&r.batch[i])
				if err != nil {
					return err
				}
				continue
			}
			r.Reject(input.Reject{File: name, Field: "id",
				Error: r.Say("%s was recorded before with other content; give each run its own id, or name it with --run",
					receipt.Key)})
		}
	}
	r.batch, r.size = r.batch[:0], 0
	return nil
}

// again counts the pictures of a run that was recorded before; it keeps its first pictures.
func (r *recorder) again(e *tree.Evaluation) {
	if e.Evidence != nil {
		r.Pictures.Again += len(e.Evidence.Pictures)
	}
}

// accepted counts an accepted run as right, wrong or unlabelled.
func (r *recorder) accepted(e *tree.Evaluation) {
	r.out.Accepted++
	switch v := formation.Detect(e); {
	case v.Direction == taxonomy.Environment:
		r.out.Apart++
	case !v.Labelled:
		r.out.Unlabelled++
		if r.waiting != nil {
			r.waiting[e.Key()] = judgment.PolarityOf(judgment.Decode(e.Judgment))
		}
		if r.fresh != nil && len(r.fresh) < mostFresh {
			r.fresh[e.Key()] = true
		}
	case v.Correct:
		r.out.Correct++
	default:
		r.out.Wrong++
	}
}
