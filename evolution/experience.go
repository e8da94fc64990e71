package evolution

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/memtree/memtree/tree"
)

// learn makes or updates an experience for each bucket of the partition that has enough cases. The others become
// Groups, with what they lack. An experience without a bucket is retired.
func (w *partitionWork) learn() error {
	present := w.existing()
	kept, apart := map[string]bool{}, map[string]bool{}
	for _, full := range w.partsOf() {
		old := present[full]
		b := full.without(old)
		about := w.missing(b)
		if !w.ready(b, old, &about) {
			about.Banned = len(about.Missing) == 0 && w.banned(b)
			w.Groups = append(w.Groups, about)
			continue
		}
		n, why, err := w.experience(full, b, old)
		if err != nil {
			return err
		}
		if n == nil {
			about = w.missing(full)
			about.Apart = why
			w.Groups = append(w.Groups, about)
			if old != nil {
				apart[old.ID] = why != ""
			}
			continue
		}
		kept[n.ID] = true
		w.formed = append(w.formed, &formed{n.ID, full.without(n)})
		if left := full.only(n.Provenance.Left); len(left.cases) > 0 {
			about = w.missing(left)
			about.LeftOut = n.ID
			w.Groups = append(w.Groups, about)
		}
	}
	for _, e := range w.experiences {
		switch {
		case partitionOf(e) != w.Partition || kept[e.ID]:
		case w.refusedHere(e):
			w.retire(e, tooFew)
		case apart[e.ID]:
			w.retire(e, "its cases have no one cause")
		case e.StandsAlone():
		case e.Mark == tree.Pinned && Stays(e, len(w.s.standing(e))):
			w.leaveStrategy(e) // a person wants it: it stays beside later lessons
		default:
			w.retire(e, tooFew)
		}
	}
	slices.SortFunc(w.Groups, func(a, b Group) int {
		return cmp.Or(
			cmp.Compare(len(b.Cases), len(a.Cases)), cmp.Compare(len(a.Missing), len(b.Missing)),
			cmp.Compare(a.Cases[0], b.Cases[0]))
	})
	return nil
}

// ready reports whether a bucket is enough for a lesson, or to keep its present one.
func (w *partitionWork) ready(b *bucket, old *tree.Node, about *Group) bool {
	switch {
	case w.banned(b):
		return false
	case old == nil:
		return len(about.Missing) == 0 && !w.unwanted[lesson{b.Partition, b.check}]
	}
	return len(about.Missing) == 0 || len(b.cases) >= leastKept
}

// due returns the jobs of the experiences that are to be written, or written again.
func (w *partitionWork) due() []*job {
	var out []*job
	present := w.existing()
	for _, full := range w.partsOf() {
		old := present[full]
		b := full.without(old)
		about := w.missing(b)
		if !w.ready(b, old, &about) || old != nil && !w.stale(old, full) {
			continue
		}
		if j := w.newJob(tree.Experience, full, nil, old); w.mayWrite(j) {
			out = append(out, j)
		}
	}
	return out
}

// leastKept is the minimum number of live cases that keep an existing experience in use. It is lower than the
// threshold of a new one, so that an experience does not appear and disappear with a single case.
const leastKept = 2

// Stays reports whether lesson n stays in use although evolution would retire it, with that many cases left. A lesson
// that needs no cases of this tree stays, a pinned one stays with a single case, and one that a person wrote with two.
func Stays(n *tree.Node, left int) bool {
	return n.StandsAlone() || n.Mark == tree.Pinned && left > 0 || n.Kept() && left >= leastKept
}

// lesson identifies the subject of an experience. Only one experience of each is in use, except for those that a
// reader split from one another.
type lesson struct {
	Partition
	check string
}

// unwanted returns the lessons that a person has banned or that are held back because they did harm. They are not
// learned again; otherwise the next case would restore the same text.
func (s *survey) unwanted() map[lesson]bool {
	out := map[lesson]bool{}
	for _, n := range s.nodes {
		if n.Type == tree.Experience && (n.Mark == tree.Banned && !n.Rejected() || n.HeldBack()) && kindOf(n) != "" {
			out[lesson{partitionOf(n), kindOf(n)}] = true
		}
	}
	return out
}

// existing finds the experience that each bucket of the partition already has: the one
// of the same check that shares most cases with it. A bucket without a check, or that is part of one, must
// share at least one case.
func (w *partitionWork) existing() map[*bucket]*tree.Node {
	out, taken := map[*bucket]*tree.Node{}, map[string]bool{}
	for _, b := range w.partsOf() {
		var best *tree.Node
		shared := 0
		for _, e := range w.experiences {
			if partitionOf(e) != w.Partition || e.StandsAlone() || taken[e.ID] || kindOf(e) != b.check {
				continue
			}
			if k := common(e.Children, b.cases); k > shared || best == nil && b.check != "" && b.others == nil {
				best, shared = e, k
			}
		}
		if best != nil {
			out[b], taken[best.ID] = best, true
		}
	}
	return out
}

// kindOf returns the check that an experience is about, "" for none.
func kindOf(e *tree.Node) string {
	if len(e.Content.Lessons) == 0 {
		return ""
	}
	return e.Content.Lessons[0].Kind
}

// common returns the number of ids that are among the cases.
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

// missing describes a bucket and what it lacks to become a lesson.
func (w *partitionWork) missing(b *bucket) Group {
	out := Group{
		Check: b.check, Cases: idsOf(b.cases), Tests: tests(b.cases),
		Recent: mostWithin(b.cases, w.Rule.TimeWindow), Cohesion: b.close,
	}
	out.Confidence = confidence(b.cases, b.close, w.s.now)
	out.Missing = w.e.lacks(b.cases, b.close, w.ErrorType, w.s.now)
	if hint, _ := repeatedHint(b); (b.check == "" || w.e.own(b.check)) && !w.mayRead(b.cases) && hint == "" {
		out.Missing = append(out.Missing, lack{What: "words", Need: 1})
	}
	return out
}

// lacks returns the thresholds of a lesson that cases of an error type do not reach.
func (e *Evolver) lacks(cases []*tree.Node, alike float64, errorType string, now time.Time) (out []lack) {
	r := e.rules.Of(errorType)
	need := func(what string, have, least float64) {
		if have < least {
			out = append(out, lack{what, have, least})
		}
	}
	least := float64(r.CaseThreshold)
	need("cases", float64(len(cases)), least)
	if len(cases) >= r.CaseThreshold {
		need("recent", float64(mostWithin(cases, r.TimeWindow)), least)
		need("notes", float64(witnesses(cases)), least)
	}
	need("tests", float64(tests(cases)), leastTests)
	need("confidence", confidence(cases, alike, now), r.MinConfidence)
	return out
}

// mostWithin returns the maximum number of cases within any period of a length. Mistakes that lie far apart in time
// may be of different products. The period need not end now, so that an imported history is learned from too. It
// slides a window over the sorted times.
func mostWithin(cases []*tree.Node, stretch time.Duration) int {
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

// experience makes the experience of a bucket, or updates the old one to its cases: b, or all of the bucket where it
// is written again. It returns the experience, nil if nothing could be written; why is then the reason why the cases
// share no cause.
func (w *partitionWork) experience(full, b *bucket, old *tree.Node) (is *tree.Node, why string, err error) {
	if old == nil {
		j := w.newJob(tree.Experience, full, nil, nil)
		n, ok, err := w.write(j)
		if err != nil || !ok {
			return nil, j.apart, err
		}
		w.edits.put(n, tree.OpAdd, fmt.Sprintf("%d cases of %d tests %s", len(j.Members), tests(j.Members), oneKind(b)))
		return &n, "", nil
	}
	n := old.Clone()
	w.endProbation(&n, b) // first, because a rewrite cites the new cases as its own
	if w.stale(&n, full) {
		j := w.newJob(tree.Experience, full, nil, &n)
		fresh, ok, err := w.write(j)
		switch {
		case err != nil:
			return nil, "", err
		case ok:
			n = fresh
			w.edits.put(n, tree.OpRevise, fmt.Sprintf("written anew from its %d cases", len(j.Members)))
		case j.apart != "":
			return nil, j.apart, nil
		case j.refused && outdated(&n):
			return nil, "", nil // an older version of the rules wrote it, and the gates refuse a new one
		}
		b = full.without(&n)
	}
	ids := idsOf(b.cases)
	if more := len(ids) - common(n.Children, b.cases); more > 0 || len(n.Children) != len(ids) {
		w.freeForgotten(&n, ids)
		n.Children = ids
		if at := newest(b.cases); at.After(n.Metadata.UpdatedAt) {
			n.Metadata.UpdatedAt = at
		}
		w.edits.put(n, tree.OpAttach, fmt.Sprintf("it stands on %d cases, %d of them new", len(ids), more))
	}
	w.updateConfidence(&n, b)
	return &n, "", nil
}

func oneKind(b *bucket) string {
	if b.check == "" {
		return "have one cause"
	}
	return "missed one check: " + b.check
}

// stale reports whether an experience must be written again. It must when it has at least two and 30 % more cases than
// it was written from, when the rules that wrote it have changed, when there is a model now and none has read its
// cases, or when runs made its mistake although they were given it. A memory that a person pinned or wrote is never
// stale.
func (w *partitionWork) stale(n *tree.Node, b *bucket) bool {
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
	return !n.Kept() && (added >= enough || outdated(n) ||
		w.mayRead(b.cases) && (n.Provenance.Unread() || n.Disregarded()))
}

// outdated reports whether an older version of the rules wrote a memory.
func outdated(n *tree.Node) bool {
	return n.Provenance.Analyst == "rules" && n.Provenance.Template != rulesVersion
}

// leaveStrategy removes an experience from its strategy.
func (w *partitionWork) leaveStrategy(e *tree.Node) {
	if e.Parent != "" {
		w.edits.clearParent(e.ID, e.Parent)
	}
}

const tooFew = "too few of its cases are left"

// retire takes an experience out of use, for a reason. The experience that has most of its cases now replaces it.
func (w *partitionWork) retire(e *tree.Node, why string) {
	n := e.Clone()
	most := 0
	for _, f := range w.formed {
		if k := common(e.Children, f.bucket.cases); k > most {
			most, n.SupersededBy = k, f.id
		}
	}
	op := tree.OpStatus
	if n.SupersededBy != "" {
		op, why = tree.OpSupersede, "its cases are part of "+n.SupersededBy
	}
	w.freeForgotten(&n, nil)
	n.Children, n.Parent, n.Status = []string{}, "", tree.Retired
	w.edits.put(n, op, why)
}

// freeForgotten clears the parent of e's children that are out of use and not in stay (sorted ids). Children in use
// need not be freed: adopt sets their parent.
func (w *partitionWork) freeForgotten(e *tree.Node, stay []string) {
	for _, id := range e.Children {
		c := w.edits.peek(id)
		if _, stays := slices.BinarySearch(stay, id); !stays && c != nil && !c.Live() {
			w.edits.clearParent(id, e.ID)
		}
	}
}
