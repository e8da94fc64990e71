package formation

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/prompts"
	"github.com/memtree/memtree/tree"
)

// modelReading is a model's reading of a wrong run.
type modelReading struct {
	misses []prompts.AnalyseMiss // none: the run does not show its cause
	by     tree.Provenance
	err    error // why the reading failed
}

// atOnce is the number of concurrent calls of a model.
const atOnce = 4

// MaxReads is the number of runs that Read sends before it waits for an answer. A caller that passes at most MaxReads
// runs and commits after each Read loses at most these answers if it is interrupted.
const MaxReads = atOnce * prompts.MaxRuns

// Read calls the model to find what was missed in those runs whose verdict was wrong. One call is for up to
// prompts.MaxRuns runs, in their order, and a few calls run at once. Read sends runs with the same evidence only once.
// It skips a run that it has read before, one of a product that no model may see, and one whose case is in v. Without a
// model it does nothing. If the model fails, Insert uses the rules alone.
//
// The error is that of v or of ctx. Only one caller at a time may use a run.
func (f *Former) Read(ctx context.Context, v treeView, runs []*DetectedRun) error {
	if f.generator == nil {
		return nil
	}
	var first []*DetectedRun
	same := map[string][]*DetectedRun{}
	for _, r := range runs {
		if !r.Wrong() || r.read != nil || !f.mayRead(r.node.Scope.Product) {
			continue
		}
		id := r.node.ID
		if len(same[id]) == 0 {
			switch _, err := v.Get(ctx, id); {
			case err == nil:
				continue
			case !errors.Is(err, tree.ErrNotFound):
				return fmt.Errorf("look for case %s: %w", id, err)
			}
			first = append(first, r)
		}
		same[id] = append(same[id], r)
	}
	f.readAll(ctx, first)
	for _, r := range first {
		for _, other := range same[r.node.ID] {
			other.read = r.read
		}
	}
	return ctx.Err()
}

// readAll sends runs, prompts.MaxRuns in a call and atOnce calls at a time.
func (f *Former) readAll(ctx context.Context, runs []*DetectedRun) {
	var asking sync.WaitGroup
	places := make(chan struct{}, atOnce)
	for some := range slices.Chunk(runs, prompts.MaxRuns) {
		places <- struct{}{}
		asking.Go(func() {
			defer func() { <-places }()
			f.readSome(ctx, some)
		})
	}
	asking.Wait()
}

// readSome makes one call about runs. It uses the usable parts of the answer, run by run.
func (f *Former) readSome(ctx context.Context, runs []*DetectedRun) {
	in := f.question(runs)
	p, err := prompts.Load().Analyse(in)
	var answer llm.Answer
	var read []prompts.AnalyseOutput
	if err == nil {
		r := prompts.Load().Request(p, in.Lang, maxTokens*(len(runs)+1))
		answer, err = llm.Ask(ctx, f.generator, r, func(raw json.RawMessage) (bad error) {
			if read, bad = in.Read(raw); bad != nil {
				return bad
			}
			return f.check(runs, read)
		})
	}
	by := tree.Provenance{By: "formation", Analyst: "model", Model: answer.Model, Template: p.Name()}
	for i, r := range runs {
		r.read = &modelReading{by: by, err: err}
		if err != nil {
			continue
		}
		r.read.misses = read[i].Misses
		if bad := read[i].Err; bad != nil {
			r.read.err = &llm.Error{Kind: llm.KindMalformed, Err: fmt.Errorf("analyse: run %d: %w", i+1, bad)}
		}
	}
}

// maxTokens bounds the answer about one run, or one comparison.
const maxTokens = 400
