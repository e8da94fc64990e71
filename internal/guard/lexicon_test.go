package guard

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/internal/flat"
	"github.com/memtree/memtree/internal/golden"
)

// The stored lexicon is lexicon.txt.
func TestLexicon(t *testing.T) {
	l := readLexicon(t)
	phrases, firsts := slices.Sorted(maps.Keys(l.tags)), slices.Sorted(maps.Keys(l.units))
	var tags []byte
	for _, p := range phrases {
		tags = append(tags, l.tags[p])
	}
	var most []int
	for _, f := range firsts {
		most = append(most, l.units[f])
	}
	b := flat.AppendText(flat.AppendNames(nil, phrases), tags)
	golden.Bytes(t, "lexicon.flat", flat.AppendInts(flat.AppendNames(b, firsts), most))
}

// written is the lexicon as it is written: a phrase → its tag, and the first unit of a phrase → how many units its
// longest phrase has.
type written struct {
	tags  map[string]byte
	units map[string]int
}

func lexiconText(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("lexicon.txt")
	require.NoError(t, err)
	return string(text)
}

func readLexicon(t *testing.T) *written {
	t.Helper()
	l := &written{tags: map[string]byte{}, units: map[string]int{}}
	for line := range strings.Lines(lexiconText(t)) {
		tag, phrases, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if tag == "#" || len(tag) != 1 {
			continue // a comment
		}
		for p := range strings.SplitSeq(phrases, "|") {
			l.add(p, tag[0])
		}
	}
	return l
}

// pronouns are the texts that replace {it} in a phrase.
const pronouns = "it|this|that|them|these|those|everything|all|it all|this one|that one|these ones|the test|the " +
	"case|the page|the run"

func (l *written) add(phrase string, tag byte) {
	if strings.Contains(phrase, "{it}") {
		for it := range strings.SplitSeq(pronouns, "|") {
			l.add(strings.Replace(phrase, "{it}", it, 1), tag)
		}
		return
	}
	u := unitsOf(phrase)
	l.tags[u.joined] = tag
	first := u.joined[:u.end[0]]
	l.units[first] = max(l.units[first], len(u.end))
}
