package tree

import (
	"crypto/sha256"
	"encoding/base32"
	"encoding/binary"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/memtree/memtree/taxonomy"
)

// EvidenceID returns the id of case n, "" if n has no CaseData. It is a hash of the evidence, so equal evidence has the
// same id in every tree. Evidence is the test case, the scene, the judgment, the ground truth, the direction and the
// evaluator's reason; not the run, the time or the analysis.
func EvidenceID(n *Node) string {
	if n.CaseData == nil {
		return ""
	}
	d := n.CaseData
	return "c_" + Hash(
		d.TestCase.CaseID, d.TestCase.SceneID, d.TestCase.Prompt, string(d.TestCase.GroundTruth.Canonical()),
		n.Scene.ID, n.Scene.Type, n.Scene.Route,
		d.AgentJudgment, string(n.Direction), d.EvaluatorReason)
}

// GroupID returns the id of a new experience or strategy of type t: a hash of its error type, its direction d and
// founding, the ids of the nodes that it is made of, in any order. The node keeps the id when its children change.
func GroupID(t Type, errorType string, d taxonomy.Direction, founding []string) string {
	members := slices.Compact(slices.Sorted(slices.Values(founding)))
	return string(t[:1]) + "_" + Hash(append([]string{errorType, string(d)}, members...)...)
}

// LessonID returns the id of l: a hash of its Check, Mistake and Instead, ignoring case and spacing. If Check is the
// catalogue's text (l.From is FromCatalogue), the id is a hash of l.Kind instead and survives a change of the text.
func LessonID(l Lesson) string {
	if l.Kind != "" && l.From == FromCatalogue {
		return "l_" + Hash("kind", l.Kind)
	}
	fold := func(s string) string { return strings.ToLower(strings.Join(strings.Fields(s), " ")) }
	return "l_" + Hash(fold(l.Check), fold(l.Mistake), fold(l.Instead))
}

var base32Lower = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

// Hash returns the digest used in memtree's ids: the first 100 bits of the SHA-256 of the parts, as 20 characters of
// base 32. Each part is preceded by its length as 8 bytes, so that {"ab", "c"} and {"a", "bc"} differ.
func Hash(parts ...string) string {
	h := sha256.New()
	var n [8]byte
	for _, p := range parts {
		binary.BigEndian.PutUint64(n[:], uint64(len(p)))
		h.Write(n[:])
		h.Write([]byte(p))
	}
	return base32Lower.EncodeToString(h.Sum(nil))[:20]
}

// Spelled returns the JSON of n, to compare nodes: two nodes count as equal if their JSON is equal. It returns "" if n
// cannot be encoded because it contains a NaN or invalid JSON; Check refuses such a node.
func Spelled(n *Node) string {
	b, err := json.Marshal(n)
	if err != nil {
		return "" // only what Check refuses fails to marshal
	}
	return string(b)
}

// contentHash returns the digest of a node's JSON.
func contentHash(n *Node) string {
	s := Spelled(n)
	if s == "" {
		return ""
	}
	return Hash(s)
}

func itoa(n int) string { return strconv.Itoa(n) }
