package enhance

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// A person who reads a lesson made of the taxonomy's sentences reads it as if it had been learned in their own
// language.
func TestShown(t *testing.T) {
	tax := taxonomy.Default()
	words := NewWording(tax)
	lesson := func(check, lang string) tree.Node {
		n := tree.Node{ID: "e_1", Type: tree.Experience, Level: 2, Lang: lang, Direction: taxonomy.FalsePass,
			ErrorType: "content_validation_error", Provenance: tree.Provenance{Analyst: "rules"},
			Content: tree.Content{Lessons: []tree.Lesson{{Kind: check, From: tree.FromCatalogue, Tests: 3}}}}
		words.Fill(&n)
		return n
	}
	for _, c := range tax.Checks() {
		zh, en := lesson(c.ID, "zh"), lesson(c.ID, "en")
		require.Equal(t, zh, words.Shown(&zh, "zh"))
		kept := zh.Clone()
		shown := words.Shown(&zh, "en")
		require.Equal(t, en.Content, shown.Content, c.ID)
		require.Equal(t, "zh", shown.Lang, "what language it is kept in is no secret")
		require.Equal(t, zh.Content, words.Shown(&en, "zh").Content, c.ID)
		require.Equal(t, kept, zh, "the memory itself stays as it is")
	}
}

// What a person or a model wrote is shown as it was written.
func TestShownAsWritten(t *testing.T) {
	words := NewWording(nil)
	for name, change := range map[string]func(*tree.Node){
		"by a person": func(n *tree.Node) { n.Content.Lessons[0].From = tree.FromPerson },
		"by a model":  func(n *tree.Node) { n.Provenance.Analyst = "model" },
		"of no check": func(n *tree.Node) { n.Content.Lessons[0].Kind = "" },
	} {
		n := tree.Node{ID: "e_1", Type: tree.Experience, Level: 2, Lang: "zh", Direction: taxonomy.FalsePass,
			ErrorType: "content_validation_error", Provenance: tree.Provenance{Analyst: "rules"},
			Content: tree.Content{Title: "总价", Guidance: "把每一行加起来。", Lessons: []tree.Lesson{
				{Kind: "recompute", Check: "把每一行加起来。", From: tree.FromCatalogue}}}}
		require.NotEqual(t, n, words.Shown(&n, "en"))
		change(&n)
		require.Equal(t, n, words.Shown(&n, "en"), name)
	}
}

// A check of the tree's own has no sentences but those of its lesson, and people's notes.
func TestOwnCheck(t *testing.T) {
	const own = "own/unit_not_read_3f9a2c"
	n := tree.Node{ID: "e_1", Type: tree.Experience, Level: 2, Lang: "en", Direction: taxonomy.FalsePass,
		ErrorType: "content_validation_error", Provenance: tree.Provenance{Analyst: "model"},
		Content: tree.Content{Title: "Unit not read", Guidance: "Read the unit.", AppliesWhen: []string{"there is a unit"},
			Lessons: []tree.Lesson{{Kind: own, Check: "Read the unit beside each number.", From: tree.FromModel}},
			Other:   &tree.Translation{Title: "没看单位", Check: "看每个数值旁的单位。", AppliesWhen: []string{"有单位"}}}}
	said, why := Say(&n, Options{})
	require.Empty(t, why)
	require.Contains(t, said, "Read the unit beside each number.")
	said, _ = Say(&n, Options{Lang: "zh"})
	require.Contains(t, said, "看每个数值旁的单位。")

	c := tree.Node{ID: "c_1", Type: tree.Case, Level: 1, Lang: "en", Direction: taxonomy.FalsePass,
		ErrorType: "content_validation_error", Provenance: tree.Provenance{Analyst: "rules"},
		CaseData: &tree.CaseData{TestCase: tree.TestCase{Prompt: "Read the limit."}, Misses: []tree.Miss{
			{How: "Nobody read whether the limit was in pounds.", From: tree.FromPerson},
		}}}
	before, _ := Say(&c, Options{})
	c.CaseData.Misses[0].Check = own
	after, _ := Say(&c, Options{})
	require.Contains(t, after, "pounds")
	require.Equal(t, before, after, "that it has a check takes nothing from what is told of a case")
	w := NewWording(nil)
	require.Equal(t, "unit not read", w.In(&c, "en").Content.Title)
	require.Contains(t, w.In(&c, "zh").Content.Title, "漏", "its name is English")
}

// TestNoInventedCause: the cause shown for a case is what people wrote, and where no person wrote anything the text
// states that.
func TestNoInventedCause(t *testing.T) {
	w := NewWording(nil)
	of := func(note string, m tree.Miss) tree.Node {
		n := tree.Node{Type: tree.Case, Lang: "en", Direction: taxonomy.FalsePass, ErrorType: "state_detection_error",
			Provenance: tree.Provenance{
				Analyst: "rules",
			}, CaseData: &tree.CaseData{EvaluatorReason: note, Misses: []tree.Miss{m}}}
		w.Fill(&n)
		return n
	}
	silent := of("", tree.Miss{ErrorType: "state_detection_error", From: tree.FromRules})
	require.Empty(t, silent.CaseData.ErrorReason)
	require.Equal(t, "A defect was missed; the record does not say how.", w.Shown(&silent, "en").Content.Description)
	guessed := of("", tree.Miss{Check: "operate_control", From: tree.FromRules})
	require.Empty(t, guessed.CaseData.ErrorReason)
	require.Contains(t, w.Shown(&guessed, "zh").Content.Description, "记录没有说明原因，可能是：")
	said := of("Too early; it came later.",
		tree.Miss{Check: "operate_control", How: "Too early it came later.", From: tree.FromPerson})
	for _, lang := range []string{"en", "zh"} {
		require.Equal(t, "Too early; it came later.", w.Shown(&said, lang).Content.Description)
	}
}
