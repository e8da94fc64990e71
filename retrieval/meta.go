package retrieval

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// nodeTraits is what the index stores of a node for ranking, beside its tokens and its vector.
type nodeTraits struct {
	id         string
	kind       tree.Type
	errorType  string
	direction  taxonomy.Direction
	scene      tree.Scene // with the route as a pattern
	scope      tree.Scope
	parent     string
	tests      []string  // case_id of the case and of its occurrences
	checks     []string  // ids of the checks it is about
	confidence float64   // 0 to 1
	confirmed  time.Time // last change or occurrence
	times      int       // how often it occurred, occurrences included
	revision   int
	text       uint64   // hash of the indexed text
	conditions []string // of a lesson that a person worded, see conditionsOf; nil for others
	examples   []string // tests that it was taught for
}

// metaOf returns the traits of a node.
func metaOf(n *tree.Node) nodeTraits {
	m := nodeTraits{
		id: n.ID, kind: n.Type, errorType: n.ErrorType, direction: n.Direction,
		scene: n.Scene, scope: n.Scope, parent: n.Parent, confidence: n.Content.Confidence,
		confirmed: n.Metadata.UpdatedAt, times: 1 + len(n.Occurrences), revision: n.Revision,
		text: key(wordKind, append(aroundOf(n), append(saidOf(n), n.Text())...)...),
	}
	m.scene.Route = tree.Route(n.Scene.Route)
	m.conditions, m.examples = conditionsOf(n)
	if n.Type != tree.Case && len(n.Provenance.Cites) > 0 {
		m.scope = tree.Scope{} // that of its cases, which lift it in their scope; the lesson may apply elsewhere
	}
	add := func(id string) {
		if id != "" && !slices.Contains(m.tests, id) {
			m.tests = append(m.tests, id)
		}
	}
	if n.CaseData != nil {
		add(n.CaseData.TestCase.CaseID)
		m.scene.ID = cmp.Or(m.scene.ID, n.CaseData.TestCase.SceneID)
	}
	for _, l := range lessonsFor(n) {
		if l.Kind != "" && !slices.Contains(m.checks, l.Kind) {
			m.checks = append(m.checks, l.Kind)
		}
	}
	for _, o := range n.Occurrences {
		add(o.CaseID)
		if o.At.After(m.confirmed) {
			m.confirmed = o.At
		}
	}
	return m
}

// keys returns the keys of the lists that contain the node, other than those of its tokens, sorted.
func (m *nodeTraits) keys() []uint64 {
	out := []uint64{key(idKind, m.id)}
	if m.scene.ID != "" {
		out = append(out, key(sceneKind, m.scene.ID))
	}
	if m.scene.Route != "" {
		out = append(out, key(routeKind, m.scene.Route))
	}
	if (m.scene.ID == "") != (m.scene.Route == "") { // only one of them names the place, see markPlace
		out = append(out, key(placeKind, m.scene.ID, m.scene.Route))
	}
	if m.kind == tree.Case {
		out = append(out, key(alikeKind, m.errorType, string(m.direction), m.scene.ID))
	}
	for _, t := range m.tests {
		out = append(out, key(testKind, t))
	}
	if m.own() {
		out = append(out, key(ownKind, ""))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// own reports whether the node is a lesson worded by a person.
func (m *nodeTraits) own() bool { return len(m.conditions) > 0 }

// head returns the traits that a slot head holds.
func (m *nodeTraits) head() slotHead {
	h := slotHead{
		id: key(idKind, m.id), product: mark(scopeKind, m.scope.Product), test: mark(scopeKind, m.scope.Test),
		suite: mark(scopeKind, m.scope.Suite), scene: mark(typeKind, fold(m.scene.Type)),
	}
	if len(m.scope.SuiteTests) > 0 {
		h.suite = placeMark(&m.scope)
	}
	return h
}

// placeMark returns a mark for a place in a suite. It is of the test at the place and not of its position, so that it
// stays the same when the suite changes elsewhere. applies compares the tests around it.
func placeMark(s *tree.Scope) uint32 {
	return mark(scopeKind, "place", s.Suite, s.PlaceTest())
}

// fold returns a name in lower case without space around it.
func fold(s string) string { return strings.ToLower(strings.TrimSpace(s)) }

// append writes the traits as bytes: six lists of strings, each string with its length before
// it, then the numbers. readMeta reads them in the same order.
func (m *nodeTraits) append(b []byte) []byte {
	lists := [][]string{
		{m.id, string(m.kind), m.errorType, string(m.direction), m.scene.ID, m.scene.Type, m.scene.Route,
			m.scope.Product, m.scope.Suite, m.scope.Test, m.parent},
		m.tests, m.scope.SuiteTests, m.checks, m.conditions, m.examples,
	}
	for _, list := range lists {
		b = binary.AppendUvarint(b, uint64(len(list)))
		for _, s := range list {
			b = append(binary.AppendUvarint(b, uint64(len(s))), s...)
		}
	}
	b = binary.AppendVarint(b, int64(m.scope.Position))
	b = binary.AppendVarint(b, int64(m.times))
	b = binary.AppendVarint(b, int64(m.revision))
	b = binary.AppendVarint(b, m.confirmed.Unix())
	b = binary.AppendUvarint(b, uint64(m.confirmed.Nanosecond()))
	b = binary.LittleEndian.AppendUint64(b, math.Float64bits(m.confidence))
	return binary.LittleEndian.AppendUint64(b, m.text)
}

// readMeta reads what append wrote. It returns false for bytes that are damaged.
func readMeta(b []byte) (nodeTraits, bool) {
	r := byteReader{rest: b}
	names := r.list()
	if len(names) != 11 {
		return nodeTraits{}, false
	}
	m := nodeTraits{
		id: names[0], kind: tree.Type(names[1]), errorType: names[2], direction: taxonomy.Direction(names[3]),
		scene: tree.Scene{ID: names[4], Type: names[5], Route: names[6]},
		scope: tree.Scope{Product: names[7], Suite: names[8], Test: names[9]}, parent: names[10],
	}
	m.tests, m.scope.SuiteTests, m.checks = r.list(), r.list(), r.list()
	m.conditions, m.examples = r.list(), r.list()
	m.scope.Position, m.times, m.revision = int(r.varint()), int(r.varint()), int(r.varint())
	sec := r.varint()
	m.confirmed = time.Unix(sec, int64(r.uvarint())%1e9).UTC()
	m.confidence = math.Float64frombits(r.u64())
	m.text = r.u64()
	return m, !r.bad && len(r.rest) == 0 && m.confidence >= 0 && m.confidence <= 1
}

// byteReader reads values from the front of a byte slice. A missing value is zero and sets bad, which stays set, so
// that a caller checks once at the end.
type byteReader struct {
	rest []byte
	bad  bool
}

func (r *byteReader) uvarint() uint64 {
	v, w := binary.Uvarint(r.rest)
	if w <= 0 {
		r.bad, r.rest = true, nil
		return 0
	}
	r.rest = r.rest[w:]
	return v
}

func (r *byteReader) varint() int64 {
	v, w := binary.Varint(r.rest)
	if w <= 0 {
		r.bad, r.rest = true, nil
		return 0
	}
	r.rest = r.rest[w:]
	return v
}

func (r *byteReader) u64() uint64 {
	if len(r.rest) < 8 {
		r.bad, r.rest = true, nil
		return 0
	}
	v := le64(r.rest)
	r.rest = r.rest[8:]
	return v
}

// list reads a list of strings. They share one copy of the bytes, which saves an allocation
// for each.
func (r *byteReader) list() []string {
	n := r.uvarint()
	if n == 0 || n > uint64(len(r.rest)) {
		r.bad = r.bad || n > 0
		return nil
	}
	all := string(r.rest)
	out := make([]string, 0, n)
	for range n {
		size := r.uvarint()
		if size > uint64(len(r.rest)) {
			r.bad = true
			return nil
		}
		at := len(all) - len(r.rest)
		out = append(out, all[at:at+int(size)])
		r.rest = r.rest[size:]
	}
	return out
}
