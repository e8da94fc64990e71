package fact_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/fact"
)

// TestAnswers: the answer of a program that checked the page decides what the snapshot leaves open; if the two differ,
// the state is unknown.
func TestAnswers(t *testing.T) {
	const page = "- heading \"Sign in\"\n- textbox \"Password\"\n- button \"Gift wrap\" [disabled]\n- link \"Home\"\n"
	password := fact.Expected{Kind: fact.Input, Role: "textbox", Thing: "Password", Got: "text"}
	button := fact.Expected{Kind: fact.Control, Role: "button", Thing: "Gift wrap"}
	terms := fact.Expected{Kind: fact.Set, Role: "checkbox", Thing: "Terms", Want: fact.Off, Got: fact.On}
	for _, c := range []struct {
		e      fact.Expected
		answer string
		state  fact.CheckState
		have   string
	}{
		{password, "", fact.Unknown, ""},
		{password, "broken text", fact.Broken, "text"},
		{password, "holds password", fact.Holds, "password"},
		{password, "broken", fact.Unknown, ""}, // the type is not given
		{password, "broken javascript", fact.Unknown, ""},
		{password, "perhaps text", fact.Unknown, ""},
		{password, "broken text and more", fact.Unknown, ""},
		{button, "", fact.Broken, ""},
		{button, "broken", fact.Broken, ""},
		{button, "holds", fact.Unknown, ""}, // it changed
		{terms, "broken", fact.Broken, fact.On},
		{terms, "holds", fact.Holds, fact.Off},
	} {
		seen := page
		if c.answer != "" {
			seen += "- /check " + c.e.ID() + ": " + c.answer + "\n"
		}
		f := fact.Read(seen).Hold(c.e)
		require.Equal(t, c.state, f.State, "%s %q: %s", c.e.Thing, c.answer, f.Why)
		require.Equal(t, c.have, f.Have, "%s %q", c.e.Thing, c.answer)
		require.Equal(t, c.state == fact.Unknown, f.Why != "")
		require.True(t, f.State == fact.Unknown || f.Line > 0)
	}
	other := "- /check " + password.ID() + ": broken text\n"
	require.Equal(t, fact.Unknown, fact.Read(page+other).Hold(terms).State, "an answer is for one expectation")
	said := "- paragraph: \"" + strings.TrimPrefix(other, "- ") + "\"\n- text: " + strings.TrimPrefix(other, "- ")
	require.Equal(t, fact.Unknown, fact.Read(page+said).Hold(password).State, "a page cannot say it")
}

// TestCut: the unread part may contain what is missing in the part that was read.
func TestCut(t *testing.T) {
	page := "- heading \"Cart\"\n- button \"Pay\" [disabled]\n- text: one\n- text: two\n"
	home := fact.Expected{Kind: fact.There, Role: "link", Thing: "Home"}
	pay := fact.Expected{Kind: fact.Control, Role: "button", Thing: "Pay"}
	cart := fact.Expected{Kind: fact.There, Role: "heading", Thing: "Cart"}
	require.Equal(t, fact.Broken, fact.Read(page).Hold(home).State)
	for name, cut := range map[string]string{
		"a mark": page + "…\n", "a long line": page + "- text: " + strings.Repeat("x", 4000),
		"many lines": page + strings.Repeat("- text: more\n", 4000),
	} {
		require.Equal(t, fact.Unknown, fact.Read(cut).Hold(home).State, name)
		require.Equal(t, fact.Unknown, fact.Read(cut).Hold(pay).State, name)
		require.Equal(t, fact.Holds, fact.Read(cut).Hold(cart).State, name)
		answered := "- /check " + pay.ID() + ": broken\n" + cut
		require.Equal(t, fact.Broken, fact.Read(answered).Hold(pay).State, name)
	}
}
