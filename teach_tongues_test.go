package memtree_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/curation"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// recomputed returns the catalogue's sentence for the check of sumRun, as a person would teach it.
func recomputed(lang string) curation.TaughtLesson {
	c, _ := taxonomy.Default().Check("recompute")
	return curation.TaughtLesson{Lesson: c.Missed.Do.In(lang), When: []string{"a grand total", "核对总额"}}
}

// A lesson of the catalogue is one lesson in both languages: who teaches the sentence again is referred to it, and to
// the ban of it.
func TestTaughtInEitherLanguageIsKnown(t *testing.T) {
	m := summed(t, 4)
	lesson := liveOf(t, m, tree.Experience)[0]
	refusal := func(lang string) curation.RefusedError {
		_, err := m.Curation().Teach(t.Context(), recomputed(lang), curation.Options{By: "bob"})
		var no *curation.RefusedError
		require.ErrorAs(t, err, &no, lang)
		require.Equal(t, lesson.ID, no.ID)
		return *no
	}
	for _, lang := range []string{"en", "zh"} {
		require.Equal(t, curation.Alike, refusal(lang).Why, lang)
	}
	_, err := m.Curation().Ban(t.Context(), lesson.ID, curation.Options{By: "ann"})
	require.NoError(t, err)
	for _, lang := range []string{"en", "zh"} {
		no := refusal(lang)
		require.Equal(t, curation.Banned, no.Why, lang)
		require.Equal(t, "ann", no.By)
	}
	_, err = m.Curation().Teach(t.Context(), recomputed("zh"), curation.Options{By: "bob", Over: true})
	require.NoError(t, err, "a person may decide otherwise later")
	require.Contains(t, guideOf(t, m, memtree.Query{Prompt: "核对总额"}).Text, recomputed("zh").Lesson)
}

// A ban of a lesson of the catalogue silences one that a person taught before in its words, in either language.
func TestABanReachesWhatWasTaughtInEitherLanguage(t *testing.T) {
	for _, lang := range []string{"en", "zh"} {
		m := summed(t, 0)
		teachTo(t, m, recomputed(lang))
		for i, s := range subjects[:4] {
			require.NoError(t, m.Record(t.Context(), sumRun("r"+s, s, i+5)))
		}
		evolve(t, m)
		for _, e := range liveOf(t, m, tree.Experience) {
			if e.Taught == nil {
				_, err := m.Curation().Ban(t.Context(), e.ID, curation.Options{By: "ann", Over: true})
				require.NoError(t, err)
			}
		}
		for _, prompt := range []string{"核对总额", "Verify the grand total"} {
			text := guideOf(t, m, memtree.Query{Prompt: prompt}).Text
			require.NotContains(t, text, recomputed("en").Lesson, lang)
			require.NotContains(t, text, recomputed("zh").Lesson, lang)
		}
	}
}

// What was purged cannot be taught again, and the refusal names what to do.
func TestTaughtAfterAPurge(t *testing.T) {
	m := summed(t, 0)
	id := teachTo(t, m, pumpLesson()).Action.Node
	_, err := m.Curation().Forget(t.Context(), id, curation.Options{By: "Anna", Purge: true})
	require.NoError(t, err)
	_, err = m.Curation().Teach(t.Context(), pumpLesson(), curation.Options{By: "Anna"})
	var no *curation.RefusedError
	require.ErrorAs(t, err, &no)
	require.Equal(t, curation.Purged, no.Why)
	require.EqualError(t, err, "teach: "+id+" said that and was purged; phrase it differently")
	other := pumpLesson()
	other.Lesson = "Read the unit of the rate, then that of the order."
	teachTo(t, m, other)
}
