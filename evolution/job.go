package evolution

import (
	"slices"
	"strconv"
	"time"

	"github.com/memtree/memtree/evolution/gate"
	"github.com/memtree/memtree/prompts"
	"github.com/memtree/memtree/tree"
)

// job is one memory to be written: an experience from the cases of a bucket, or a
// strategy from the cases of its experiences.
type job struct {
	gate.Subject
	bucket  *bucket
	parts   []*formedNode // the experiences of a strategy
	counts  []checkCount  // the checks of a strategy with their counts
	present *tree.Node    // the memory it replaces, nil for none
	now     time.Time     // of the newest evaluation
	refused bool          // set by write when the gates refused every draft
	apart   string        // set by write: why the cases are no lesson, from the reader that refused them

	left       []string // ids of the bucket's cases that a writer left out; Members are the others
	objections []string // why the last answer was refused
}

// formedNode is an experience of the plan as a node, with its bucket.
type formedNode struct {
	*tree.Node
	bucket *bucket
}

// maxShown is the maximum number of raw cases in a prompt.
const maxShown = prompts.MaxEvolveCases

// rulesVersion must change whenever the rules write a different text about the same cases.
const rulesVersion = "rules@8"

// newJob describes the memory to be written about a bucket.
func (w *partitionWork) newJob(kind tree.Type, b *bucket, parts []*formedNode, present *tree.Node) *job {
	j := &job{bucket: b, parts: parts, present: present, now: w.s.now, Subject: gate.Subject{
		Type: kind, ErrorType: w.ErrorType, Direction: w.Direction, Lang: langOf(b.cases), Check: b.check,
		Members: b.cases, Shown: shown(b.cases),
	}}
	if present != nil { // it is written again in its language, whatever most of its cases are in now
		j.Lang = present.Lang
	}
	for _, p := range parts {
		j.Parts = append(j.Parts, p.Node)
	}
	for _, n := range slices.Concat(w.experiences, w.strategies) {
		opposite := n.Direction == w.Direction.Opposite() && n.Direction != w.Direction
		if n.Type == kind && n.Live() && n.ErrorType == w.ErrorType && opposite {
			j.Opposite = append(j.Opposite, n)
		}
	}
	return j
}

// shown returns the cases for a model: first the most central one, then always the one least similar to those before
// it (farthest-first traversal). So a few cases show the variety of all.
func shown(cases []*tree.Node) []*tree.Node {
	pool := evenly(cases, 128)
	causes := make([]string, len(pool))
	all := make([]int, len(pool))
	for i, n := range pool {
		causes[i], all[i] = saidOf(n), i
	}
	words := weighTexts(causes)
	best, most := 0, -1.0
	for i := range pool { // sorted by id, so that ties are resolved deterministically
		if c := words.centrality(i, all); c > most {
			best, most = i, c
		}
	}
	taken := []int{best}
	near := make([]float64, len(pool)) // similarity to the nearest selected case
	for len(taken) < min(maxShown, len(pool)) {
		last, far := taken[len(taken)-1], -1
		for i := range pool {
			near[i] = max(near[i], words.like(i, last))
			if !slices.Contains(taken, i) && (far < 0 || near[i] < near[far]) {
				far = i
			}
		}
		taken = append(taken, far)
	}
	out := make([]*tree.Node, 0, len(taken))
	for _, i := range taken {
		out = append(out, pool[i])
	}
	return out
}

// key returns the cache key of the job: a hash of its evidence and of the way it is sent. writer names the prompt or
// the version of the rules.
func (j *job) key(writer, model string) string {
	parts := j.bucket.keyed(string(j.Type), writer, model, j.Lang)
	for _, n := range j.parts {
		parts = append(parts, n.ID, n.bucket.check)
	}
	if j.present != nil && j.present.Disregarded() { // the old answer did not help
		parts = append(parts, "disregarded", strconv.Itoa(j.present.Credit.Repeated))
	}
	return "j_" + tree.Hash(parts...)
}

// keyed returns the parts that a key of the bucket is a hash of, after those given.
func (b *bucket) keyed(parts ...string) []string {
	parts = append(parts, b.ErrorType, string(b.Direction), b.check)
	for _, n := range b.cases {
		parts = append(parts, n.ID, saidOf(n))
	}
	return parts
}

// apartKey is the cache key of a model's answer on which cases share a cause. The rules read it too.
func (b *bucket) apartKey() string {
	return "j_" + tree.Hash(b.keyed(string(tree.Experience), "apart", "", langOf(b.cases))...)
}

// leave removes the cases with these ids, and only these, from the bucket's cases.
func (j *job) leave(ids []string) {
	if len(ids)+len(j.left) == 0 {
		return
	}
	j.left = nil
	stays := func(n *tree.Node) bool { return !slices.Contains(ids, n.ID) }
	j.Members, j.Shown = nil, nil
	for _, n := range j.bucket.cases {
		if stays(n) {
			j.Members = append(j.Members, n)
		} else {
			j.left = append(j.left, n.ID)
		}
	}
	if len(j.Members) > 0 {
		j.Shown = slices.DeleteFunc(shown(j.bucket.cases), func(n *tree.Node) bool { return !stays(n) })
	}
}
