package evolution

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/memtree/memtree/tree"
)

// learn makes or keeps an experience for each bucket that is enough to learn
// from, and retires what has no bucket any more.
func (w *work) learn() error {
	present := w.present()
	kept := map[string]bool{}
	for _, b := range w.buckets[w.Partition] {
		old := present[b]
		about := w.missing(b)
		switch {
		case old == nil && (len(about.Missing) > 0 || w.unwanted[lesson{b.Partition, b.check}]):
			w.Groups = append(w.Groups, about)
			continue
		case old != nil && len(about.Missing) > 0 && len(b.cases) < leastKept:
			continue // too little is left of it
		}
		id, err := w.experience(b, old)
		if err != nil {
			return err
		}
		if id == "" {
			w.Groups = append(w.Groups, about)
			continue
		}
		kept[id] = true
		w.formed = append(w.formed, &formed{id, b})
	}
	for _, e := range w.experiences {
		switch {
		case partitionOf(e) != w.Partition || e.Elsewhere != nil || kept[e.ID]:
		case e.Mark == tree.Pinned && len(w.s.standing(e)) >= leastKept: // a person's word: it stays beside what was learned since
			w.alone(e)
		default:
			w.retire(e)
		}
	}
	slices.SortFunc(w.Groups, func(a, b Group) int {
		return cmp.Or(cmp.Compare(len(b.Cases), len(a.Cases)), cmp.Compare(len(a.Missing), len(b.Missing)), cmp.Compare(a.Cases[0], b.Cases[0]))
	})
	return nil
}

// leastKept is how many cases an experience there is may be left with: fewer
// than make one, so that it does not flicker.
const leastKept = 2

// lesson is what experiences are about: one of each is in use.
type lesson struct {
	Partition
	check string
}

// unwanted are the lessons that a person has banned or that are kept from use as
// doing harm: the next case would bring the same words back.
func (s *survey) unwanted() map[lesson]bool {
	out := map[lesson]bool{}
	for _, n := range s.nodes {
		kept := n.Status == tree.Quarantined && n.Provenance.By == "evolution"
		if n.Type == tree.Experience && (n.Mark == tree.Banned || kept) && kindOf(n) != "" {
			out[lesson{partitionOf(n), kindOf(n)}] = true
		}
	}
	return out
}

// present finds for each bucket the experience there is: by its check, or where
// there is none the one that shares most cases with it.
func (w *work) present() map[*bucket]*tree.Node {
	out, taken := map[*bucket]*tree.Node{}, map[string]bool{}
	for _, b := range w.buckets[w.Partition] {
		var best *tree.Node
		shared := 0
		for _, e := range w.experiences {
			if partitionOf(e) != w.Partition || e.Elsewhere != nil || taken[e.ID] || kindOf(e) != b.check {
				continue
			}
			if k := common(e.Children, b.cases); k > shared || best == nil && b.check != "" {
				best, shared = e, k
			}
		}
		if best != nil {
			out[b], taken[best.ID] = best, true
		}
	}
	return out
}

// kindOf is the check that an experience is about.
func kindOf(e *tree.Node) string {
	if len(e.Content.Lessons) == 0 {
		return ""
	}
	return e.Content.Lessons[0].Kind
}

func common(ids []string, cases []*tree.Node) (n int) {
	in := map[string]bool{}
	for _, c := range cases {
		in[c.ID] = true
	}
	for _, id := range ids {
		if in[id] {
			n++
		}
	}
	return n
}

// missing describes a bucket and what it lacks to be learned from.
func (w *work) missing(b *bucket) Group {
	out := Group{Check: b.check, Cases: idsOf(b.cases), Tests: tests(b.cases), Recent: together(b.cases, w.Rule.TimeWindow), Cohesion: b.close}
	out.Confidence = confidence(b.cases, b.close, w.s.now)
	need := func(what string, have, least float64) {
		if have < least {
			out.Missing = append(out.Missing, Lack{what, have, least})
		}
	}
	need("cases", float64(len(b.cases)), float64(w.Rule.CaseThreshold))
	if len(b.cases) >= w.Rule.CaseThreshold {
		need("recent", float64(out.Recent), float64(w.Rule.CaseThreshold))
	}
	need("tests", float64(out.Tests), leastTests)
	need("confidence", out.Confidence, w.Rule.MinConfidence)
	if hint, _ := repeatedHint(b); b.check == "" && w.e.o.Generator == nil && hint == "" {
		out.Missing = append(out.Missing, Lack{What: "words", Need: 1})
	}
	return out
}

// together returns the most cases that were made within one stretch of a length:
// mistakes that lie far apart in time may be of different products. A stretch may
// lie anywhere, so that a history that is imported is learned from too.
func together(cases []*tree.Node, stretch time.Duration) int {
	at := make([]time.Time, len(cases))
	for i, n := range cases {
		at[i] = lastSeen(n)
	}
	slices.SortFunc(at, time.Time.Compare)
	most, from := 0, 0
	for to := range at {
		for at[to].Sub(at[from]) > stretch {
			from++
		}
		most = max(most, to-from+1)
	}
	return most
}

// experience makes the experience of a bucket, or brings the one there is up to
// its cases. It returns its id, or "" where nothing could be written.
func (w *work) experience(b *bucket, old *tree.Node) (string, error) {
	if old == nil {
		n, ok, err := w.write(w.newJob(tree.Experience, b, nil, nil))
		if err != nil || !ok {
			return "", err
		}
		w.edits.put(n, tree.OpAdd, fmt.Sprintf("%d cases of %d tests %s", len(b.cases), tests(b.cases), oneKind(b)))
		return n.ID, nil
	}
	n := old.Clone()
	w.proven(&n, b) // before it is written from the cases that prove it
	if w.stale(&n, b) {
		j := w.newJob(tree.Experience, b, nil, &n)
		fresh, ok, err := w.write(j)
		switch {
		case err != nil:
			return "", err
		case ok:
			n = fresh
			w.edits.put(n, tree.OpRevise, fmt.Sprintf("written anew from its %d cases", len(b.cases)))
		case j.refused && outdated(&n):
			return "", nil // its words are of rules that are gone
		}
	}
	ids := idsOf(b.cases)
	if more := len(ids) - common(n.Children, b.cases); more > 0 || len(n.Children) != len(ids) {
		w.free(&n, ids)
		n.Children = ids
		if at := newest(b.cases); at.After(n.Metadata.UpdatedAt) {
			n.Metadata.UpdatedAt = at
		}
		w.edits.put(n, tree.OpAttach, fmt.Sprintf("it stands on %d cases, %d of them new", len(ids), more))
	}
	w.trust(&n, b)
	return n.ID, nil
}

func oneKind(b *bucket) string {
	if b.check == "" {
		return "have one cause"
	}
	return "missed one check: " + b.check
}

// stale reports whether an experience is to be written anew: two more cases and
// 30 % more than it was written from, or other words of the rules.
func (w *work) stale(n *tree.Node, b *bucket) bool {
	cited := map[string]bool{}
	for _, id := range n.Provenance.Cites {
		cited[id] = true
	}
	added := 0
	for _, c := range b.cases {
		if !cited[c.ID] {
			added++
		}
	}
	enough := max(2, int(math.Ceil(0.3*float64(len(n.Provenance.Cites)))))
	return n.Mark != tree.Pinned && (added >= enough || outdated(n) || n.Provenance.Again && w.e.o.Generator != nil)
}

// outdated reports whether rules wrote a memory that word it otherwise now.
func outdated(n *tree.Node) bool {
	return n.Provenance.Analyst == "rules" && n.Provenance.Template != rulesVersion
}

// alone takes an experience out of its strategy.
func (w *work) alone(e *tree.Node) {
	if e.Parent != "" {
		n := e.Clone()
		n.Parent = ""
		w.edits.put(n, tree.OpAttach, "no longer part of "+e.Parent)
	}
}

// retire takes an experience or a strategy out of use. What has most of its cases
// now replaces it.
func (w *work) retire(e *tree.Node) {
	n := e.Clone()
	most := 0
	for _, f := range w.formed {
		if k := common(e.Children, f.bucket.cases); k > most {
			most, n.SupersededBy = k, f.id
		}
	}
	op, why := tree.OpStatus, "too few of its cases are left"
	if n.SupersededBy != "" {
		op, why = tree.OpSupersede, "its cases are part of "+n.SupersededBy
	}
	w.free(&n, nil)
	n.Children, n.Parent, n.Status = []string{}, "", tree.Retired
	w.edits.put(n, op, why)
}

// free takes cases that are out of use out of an experience that does not stand
// on them any more; those in use are adopted.
func (w *work) free(e *tree.Node, stay []string) {
	for _, id := range e.Children {
		c := w.edits.peek(id)
		if _, stays := slices.BinarySearch(stay, id); stays || c == nil || c.Live() || c.Parent != e.ID {
			continue
		}
		n := c.Clone()
		n.Parent = ""
		w.edits.put(n, tree.OpAttach, "no longer part of "+e.ID)
	}
}
