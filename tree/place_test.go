package tree_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/memtree/memtree/tree"
)

// at returns a scope in a suite. The suite is written as its tests in order, with
// the present test in brackets: "login [pay] logout".
func at(suite string) tree.Scope {
	s := tree.Scope{Suite: "smoke"}
	for i, t := range strings.Fields(suite) {
		if strings.HasPrefix(t, "[") {
			s.Position, t = i, strings.Trim(t, "[]")
		}
		s.SuiteTests = append(s.SuiteTests, t)
	}
	return s
}

func TestAPlaceIsKnownByItsNeighbours(t *testing.T) {
	for _, x := range []struct {
		was, is string
		same    bool
		why     string
	}{
		{"a b [c] d e", "a b [c] d e", true, "nothing changed"},
		{"a b [c] d e", "a b c [d] e", false, "another test of the same suite"},
		{"a b [c] d e", "x a b [c] d e", true, "one was added at the beginning"},
		{"a b [c] d e", "a b [c] d e x", true, "one was added at the end"},
		{"a b [c] d e", "a b x [c] d e", true, "one was added just before"},
		{"a b [c] d e", "a b [c] x d e", true, "one was added just after"},
		{"a b [c] d e", "a b x [c] y d e", true, "one was added on either side"},
		{"a b [c] d e", "b [c] d e", true, "the first was removed"},
		{"a b [c] d e", "a [c] d e", true, "the one before was removed"},
		{"a b [c] d e", "a b [c] e", true, "the one after was removed"},
		{"a b [c] d e", "[c] d e", true, "all before it were removed"},
		{"a b [c] d e", "[c]", false, "it stands alone: no neighbour is left"},
		{"a b [c] d e", "b a [c] d e", true, "others changed places"},
		{"a b [c] d e", "[c] a b d e", false, "it was moved to the beginning"},
		{"a b [c] d e", "a b d e [c]", false, "it was moved to the end"},
		{"a b [c] d e", "a [c] b d e", false, "it was moved by one"},
		{"a b [c] d e", "a b [x] d e", false, "another test stands there"},
		{"a b [c] d e", "a b [x] c d e", false, "a new test stands at its index"},
		{"a b [c] d e", "x y [c] z", false, "another list with this test"},
		{"[c]", "[c] x", true, "one was added to a suite of one"},
		{"[c]", "x [c]", true, "one was added to a suite of one, before"},
		{"[in] a in b", "in a [in] b", false, "the same test twice"},
		{"[in] a in a", "in a [in] a", false, "the same test twice, before the same"},
		{"[in] a in a", "x [in] a in a", true, "the same test twice, and one was added"},
		{"[in] a in a", "x in a [in] a", false, "the same test twice, and one was added"},
	} {
		was, is := at(x.was), at(x.is)
		require.Equal(t, x.same, was.SamePlace(&is), "%s: %s, %s", x.why, x.was, x.is)
		require.Equal(t, x.same, is.SamePlace(&was), "%s, the other way round: %s, %s", x.why, x.is, x.was)
	}
}

func TestAPositionOutsideItsListIsNoPlace(t *testing.T) {
	far := tree.Scope{SuiteTests: []string{"a", "b"}, Position: 7}
	more := tree.Scope{SuiteTests: []string{"a", "b", "c"}, Position: 7}
	require.True(t, far.SamePlace(&far))
	require.False(t, far.SamePlace(&more))
	require.Empty(t, far.PlaceTest())
}

// After one test is added to a suite, every place of the suite is still found, and none is confused with another.
func TestOneMoreTestLosesNoPlace(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 8).Draw(t, "tests")
		was := tree.Scope{}
		for i := range n {
			was.SuiteTests = append(was.SuiteTests, string(rune('a'+i)))
		}
		add := rapid.IntRange(0, n).Draw(t, "at")
		is := tree.Scope{SuiteTests: append(append(append([]string{}, was.SuiteTests[:add]...), "new"),
			was.SuiteTests[add:]...)}
		for was.Position = range was.SuiteTests {
			for is.Position = range is.SuiteTests {
				require.Equal(t, was.PlaceTest() == is.PlaceTest(), was.SamePlace(&is), "%+v %+v", was, is)
			}
		}
	})
}
