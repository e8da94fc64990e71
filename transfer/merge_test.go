package transfer_test

import (
	"bytes"
	"fmt"
	"iter"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/transfer"
	"github.com/memtree/memtree/tree"
)

// aCase returns a case with its right id.
func aCase(name string) tree.Node {
	at := time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC)
	l := tree.Lesson{Check: "compare the amounts of " + name, Instead: "add the items up"}
	l.ID = tree.LessonID(l)
	n := tree.Node{
		Type: tree.Case, Level: 1, ErrorType: "content_validation_error", Direction: taxonomy.FalsePass,
		Content: tree.Content{Description: "the total was wrong", Guidance: "Compare the total of " + name, Confidence: .5,
			Lessons: []tree.Lesson{l}},
		Metadata: tree.Metadata{CreatedAt: at, UpdatedAt: at}, Lang: "en", Status: tree.Active, Revision: 1,
		Children: []string{}, Origin: tree.Origin{ID: "o_a", Label: "team-a"},
		Provenance: tree.Provenance{By: "formation", Analyst: "rules"},
		CaseData: &tree.CaseData{
			TestCase: tree.TestCase{CaseID: name, SceneID: "CART", Prompt: "Check the cart <total> of " + name,
				GroundTruth: tree.Raw(`{"verdict":"fail"}`)},
			AgentJudgment: "pass", EvaluatorReason: "amounts not compared", ActualError: "a", ErrorReason: "b",
			AvoidanceHint: "c",
		},
		Scene:       tree.Scene{ID: "CART", Route: "/cart"},
		Occurrences: []tree.Occurrence{{Evaluation: "v_" + name, At: at}},
	}
	n.ID = tree.EvidenceID(&n)
	return n
}

// variant draws a version of a node that a team may have after some time.
func variant(t *rapid.T, n tree.Node) tree.Node {
	n = n.Clone()
	day := func(label string) time.Time {
		return time.Date(2026, 1, rapid.IntRange(1, 3).Draw(t, label), 0, 0, 0, 0, time.UTC)
	}
	n.Metadata.UpdatedAt, n.Metadata.CreatedAt = day("updated"), day("created")
	n.Metadata.UsageCount = rapid.IntRange(0, 2).Draw(t, "usage")
	n.Metadata.SuccessRate = float64(rapid.IntRange(0, 2).Draw(t, "rate")) / 2
	n.Status = rapid.SampledFrom([]tree.Status{tree.Probation, tree.Active, tree.Quarantined, tree.Retired,
		tree.Archived}).Draw(t, "status")
	if n.Status == tree.Archived {
		n.ArchivedFor = rapid.SampledFrom([]string{"old", "wrong"}).Draw(t, "why")
	}
	n.Mark = rapid.SampledFrom([]tree.Mark{tree.Unmarked, tree.Pinned, tree.Banned}).Draw(t, "mark")
	if rapid.Bool().Draw(t, "edited") {
		n.Provenance.By, n.Provenance.At = "person", day("edit")
	}
	n.Content.Guidance = rapid.SampledFrom([]string{"one", "two"}).Draw(t, "guidance")
	n.Content.Lessons = nil
	for range rapid.IntRange(0, 4).Draw(t, "lessons") {
		l := tree.Lesson{
			Check: fmt.Sprint("check ", rapid.IntRange(0, 6).Draw(t, "lesson")),
			Cites: rapid.SliceOfN(rapid.SampledFrom([]string{"c_a", "c_b", "c_c"}), 0, 3).Draw(t, "cites"),
		}
		if rapid.Bool().Draw(t, "shout") {
			l.Check = "CHECK" + l.Check[5:]
		}
		if l.ID = tree.LessonID(l); !slices.ContainsFunc(n.Content.Lessons, func(o tree.Lesson) bool {
			return o.ID == l.ID
		}) {
			n.Content.Lessons = append(n.Content.Lessons, l)
		}
	}
	n.Counters = nil
	for _, o := range rapid.SliceOfDistinct(rapid.SampledFrom([]string{"o_a", "o_b"}), rapid.ID[string]).Draw(t,
		"origins") {
		if n.Counters == nil {
			n.Counters = map[string]tree.Counters{}
		}
		n.Counters[o] = tree.Counters{Used: rapid.IntRange(0, 3).Draw(t, "used"),
			Correct: rapid.IntRange(0, 3).Draw(t, "correct")}
	}
	n.Occurrences = nil
	at := day("seen")
	for i := range rapid.SampledFrom([]int{0, 1, 2, 300}).Draw(t, "occurrences") {
		n.Occurrences = append(n.Occurrences, tree.Occurrence{Evaluation: fmt.Sprint("v", i),
			At: at.Add(time.Duration(i*i%7) * time.Hour), Near: at.Day() == 2})
	}
	if len(n.Occurrences) > tree.MaxOccurrences {
		slices.SortFunc(n.Occurrences, func(a, b tree.Occurrence) int { return a.At.Compare(b.At) })
		n.Occurrences = n.Occurrences[len(n.Occurrences)-tree.MaxOccurrences:]
	}
	n.Revision = rapid.IntRange(1, 9).Draw(t, "revision")
	return spoken(t, n, day)
}

// spoken adds a random decision to a node, or none; a forgotten or banned one may be a tombstone.
func spoken(t *rapid.T, n tree.Node, day func(string) time.Time) tree.Node {
	said := rapid.SampledFrom([]tree.DecisionKind{
		"", "", tree.DecisionForget, tree.DecisionPin, tree.DecisionBan, tree.DecisionUndo,
	}).Draw(t, "said")
	if said == "" {
		return n
	}
	n.Decision = &tree.Decision{Kind: said, At: day("said"), By: rapid.SampledFrom([]string{"", "ann"}).Draw(t, "by")}
	n.Mark = map[tree.DecisionKind]tree.Mark{tree.DecisionPin: tree.Pinned, tree.DecisionBan: tree.Banned}[said]
	if said == tree.DecisionForget {
		n.Status, n.ArchivedFor = tree.Archived, "forgotten"
		n.Decision.Purged = rapid.Bool().Draw(t, "purged")
	}
	if n.Decision.Purged || n.Entombed() && rapid.Bool().Draw(t, "tomb") {
		return tree.Tombstone(&n)
	}
	return n
}

// TestMergeIsAJoin: merge is commutative, associative and idempotent.
func TestMergeIsAJoin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		of := aCase("cart-1")
		a, b, c := variant(t, of), variant(t, of), variant(t, of)
		ab := transfer.Merge(a, b)
		require.Equal(t, ab, transfer.Merge(b, a), "commutative")
		require.Equal(t, ab, transfer.Merge(ab, b), "absorbs what it has")
		require.Equal(t, transfer.Merge(ab, c), transfer.Merge(a, transfer.Merge(b, c)), "associative")
		one := transfer.Merge(a, a)
		require.Equal(t, one, transfer.Merge(one, one), "idempotent")
		require.NoError(t, tree.Check(&ab), "lawful nodes merge to a lawful one")
	})
}

func TestMergeKeepsWhatPeopleAndTombstonesSay(t *testing.T) {
	older, newer := aCase("x"), aCase("x")
	newer.Metadata.UpdatedAt = newer.Metadata.UpdatedAt.Add(time.Hour)
	older.Status, older.ArchivedFor = tree.Archived, "a duplicate"
	require.Equal(t, tree.Active, transfer.Merge(older, newer).Status, "a newer edit wins over a tombstone")
	newer.Metadata.UpdatedAt = older.Metadata.UpdatedAt
	require.Equal(t, tree.Archived, transfer.Merge(older, newer).Status)
	older.Mark, newer.Mark = tree.Banned, tree.Pinned
	require.Equal(t, tree.Banned, transfer.Merge(newer, older).Mark)
	newer.Content.Lessons[0].Check = "something else"
	newer.Content.Lessons[0].ID = tree.LessonID(newer.Content.Lessons[0])
	require.Len(t, transfer.Merge(older, newer).Content.Lessons, 2, "both edits stay")
	require.Equal(t, "lessons", transfer.Conflicts(&older, &newer)[0].Part)
}

// packed writes nodes to a file, in the order it needs.
func packed(t require.TestingT, nodes ...tree.Node) []byte {
	var buf bytes.Buffer
	slices.SortFunc(nodes, func(a, b tree.Node) int {
		return bytes.Compare([]byte(a.ErrorType+"\x00"+a.ID), []byte(b.ErrorType+"\x00"+b.ID))
	})
	_, err := transfer.WriteArchive(&buf, given(nodes...))
	require.NoError(t, err)
	return buf.Bytes()
}

// given yields nodes.
func given(nodes ...tree.Node) iter.Seq2[tree.Node, error] {
	return func(yield func(tree.Node, error) bool) {
		for _, n := range nodes {
			if !yield(n, nil) {
				return
			}
		}
	}
}

// unpacked reads a file.
func unpacked(b []byte) ([]tree.Node, transfer.Manifest, error) {
	return unpackedUpTo(b, transfer.Allowed)
}

func unpackedUpTo(b []byte, l transfer.Limits) (nodes []tree.Node, m transfer.Manifest, err error) {
	m, err = transfer.ReadArchive(bytes.NewReader(b), l, func(n tree.Node) error {
		nodes = append(nodes, n)
		return nil
	})
	return nodes, m, err
}

// TestLessonsAboutTheCasesComeFirst: guidance begins with the first lesson, so lessons about
// the cases must come before the checklist of the type.
func TestLessonsAboutTheCasesComeFirst(t *testing.T) {
	lessons := func(checks ...string) (out []tree.Lesson) {
		for _, c := range checks {
			l := tree.Lesson{Check: c, Cites: []string{"c_1", "c_2"}}
			if c == "the receipt was sent" {
				l.Mistake = "send_receipt left out"
			}
			l.ID = tree.LessonID(l)
			out = append(out, l)
		}
		return out
	}
	for _, list := range [][]tree.Lesson{
		lessons("the receipt was sent", "a", "b", "c"), lessons("a", "b", "the receipt was sent", "c"),
		lessons("c", "b", "a", "the receipt was sent"),
	} {
		n := transfer.Canonical(tree.Node{Content: tree.Content{Lessons: list}})
		require.Equal(t, "the receipt was sent", n.Content.Lessons[0].Check)
	}
}

// TestBannedStatusSurvivesItsTombstone: a ban reaches a team that has the memory from before the
// ban, and the tombstone and the banned memory itself come in either order.
func TestBannedStatusSurvivesItsTombstone(t *testing.T) {
	before := aCase("one")
	banned := before.Clone()
	banned.Status, banned.Mark = tree.Active, tree.Banned
	banned.Decision = &tree.Decision{Kind: tree.DecisionBan, At: time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)}
	tomb := tree.Tombstone(&banned)
	one := transfer.Merge(transfer.Merge(tomb, before), banned)
	require.Equal(t, transfer.Merge(transfer.Merge(tomb, banned), before), one)
	require.Equal(t, tree.Active, one.Status, "an undo goes back to it")
	require.Equal(t, tree.Archived, transfer.Merge(before, tomb).Status, "where no tree is known to have it")
}
