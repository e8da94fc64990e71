package assertion_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/assertion"
	"github.com/memtree/memtree/fact"
	"github.com/memtree/memtree/internal/golden"
	"github.com/memtree/memtree/tree"
)

// TestCode checks the output for every defect of the public GUI benchmark. Each line of it was run in Chromium on the
// page with the defect, where it fails, and on the page without, where it passes
// (docs/decisions/0030-checks-as-code.md).
func TestCode(t *testing.T) {
	b, err := os.ReadFile(filepath.Join("..", "fixtures", "gui-zh.jsonl"))
	require.NoError(t, err)
	var told strings.Builder
	all, coded := 0, 0
	for line := range strings.Lines(string(b)) {
		var e struct {
			CaseID string `json:"case_id"`
			Prompt string `json:"prompt"`
			Truth  struct {
				Details []string `json:"defect_details"`
			} `json:"ground_truth"`
		}
		require.NoError(t, json.Unmarshal([]byte(line), &e))
		for _, d := range e.Truth.Details {
			n := tree.Node{CaseData: &tree.CaseData{TestCase: tree.TestCase{Prompt: e.Prompt},
				Misses: []tree.Miss{{Expect: fact.Expect(d, e.Prompt)}}}}
			for _, x := range fact.Of(&n) {
				a := assertion.Of(&x, &tree.Node{ID: "c_1"}, "says")
				require.Equal(t, a.Playwright == "", a.Why != "", "either code or a reason")
				require.True(t, a.Why == "" || slices.Contains(assertion.Reasons(), a.Why), a.Why)
				all++
				if a.Playwright != "" {
					coded++
					fmt.Fprintf(&told, "%s %s\n    %s\n    %s\n", e.CaseID, d, a.Playwright, a.ARIA)
				}
			}
		}
	}
	t.Logf("%d expectations, %d with code", all, coded)
	golden.Equal(t, filepath.Join("testdata", "gui.golden"), told.String())
}

func TestKinds(t *testing.T) {
	for _, c := range []struct {
		e          fact.Expected
		code, aria string
	}{
		{fact.Expected{Kind: fact.Control, Role: "button", Thing: "Gift wrap"},
			`await expect(page.getByRole('button', { name: 'Gift wrap' }).first()).toBeEnabled();`,
			`- "button /Gift wrap/ [disabled=false]"`},
		{fact.Expected{Kind: fact.Control, Role: "button", Thing: "Undo"}, "", ""}, // nothing to undo yet
		{fact.Expected{Kind: fact.Control, Role: "slider", Thing: "Volume"}, "", ""},
		{fact.Expected{Kind: fact.There, Role: "link", Thing: "Home"},
			`await expect(page.getByRole('link', { name: 'Home' }).first()).toBeVisible();`, `- "link /Home/"`},
		{fact.Expected{Kind: fact.There, Role: "link", Thing: "Home", Later: true}, "", ""},
		{fact.Expected{Kind: fact.There, Thing: "Home"}, "", ""},
		{fact.Expected{Kind: fact.There, Role: "option", Thing: "Other"},
			`await expect(page.getByRole('option', { name: 'Other' })` +
				`.or(page.getByRole('radio', { name: 'Other' })).first()).toBeAttached();`, ""},
		{fact.Expected{Kind: fact.Input, Role: "textbox", Thing: "Password", Got: "text"},
			`await expect(page.getByLabel('Password')` +
				`.or(page.getByPlaceholder('Password')).first()).not.toHaveAttribute('type', 'text');`, ""},
		{fact.Expected{Kind: fact.Set, Role: "tab", Thing: "Prices", Want: fact.Off},
			`await expect(page.getByRole('tab', { name: 'Prices' }).first()).toHaveAttribute('aria-selected', 'false');`,
			`- "tab /Prices/ [selected=false]"`},
		{fact.Expected{Kind: fact.Set, Role: "checkbox", Thing: "Terms", Want: fact.On},
			`await expect(page.getByRole('checkbox', { name: 'Terms' }).first()).toBeChecked();`, ""},
		{fact.Expected{Kind: fact.Set, Thing: "Terms", Want: fact.On}, "", ""},
		{fact.Expected{Kind: fact.Text, Role: "button", Want: "Delete", Got: "Save"},
			`await expect(page.getByRole('button', { name: 'Delete' }).first()).toBeVisible();`, `- "button /Delete/"`},
		{fact.Expected{Kind: fact.Text, Want: "Order placed", Asked: true},
			`await expect(page.getByText('Order placed').first()).toBeVisible();`, ""},
		{fact.Expected{Kind: fact.Text, Want: "Order placed", Got: "Order lost"}, "", ""},
		{fact.Expected{Kind: fact.Text, Want: "/", Got: ">", Asked: true}, "", ""},
		{fact.Expected{Kind: fact.Value, Thing: "Total", Want: "12"}, "", ""},
		{fact.Expected{Kind: fact.Product}, "", ""},
	} {
		a := assertion.Of(&c.e, &tree.Node{ID: "c_1"}, "")
		require.Equal(t, c.code, a.Playwright, "%+v: %s", c.e, a.Why)
		require.Equal(t, c.aria, a.ARIA, "%+v", c.e)
	}
}

func TestMerge(t *testing.T) {
	home := &fact.Expected{Kind: fact.There, Role: "link", Thing: "Home"}
	total := &fact.Expected{Kind: fact.Value, Thing: "Total", Want: "12"}
	of := func(e *fact.Expected, id string) assertion.Assertion { return assertion.Of(e, &tree.Node{ID: id}, "") }
	all := assertion.Merge([]assertion.Assertion{of(total, "c_2"), of(home, "c_3"), of(home, "c_1"), of(home, "c_3")})
	require.Len(t, all, 2)
	require.Equal(t, []string{"c_1", "c_3"}, all[0].Cases)
	require.NotEqual(t, all[0].ID, all[1].ID)
	require.Empty(t, all[1].Playwright, "those with code come first")
	require.NotNil(t, assertion.Merge(nil))
}

// FuzzCode: the output for any memory stays inside one literal of one line.
func FuzzCode(f *testing.F) {
	for _, s := range []string{"x", "'); process.exit(1); ('", `\`, `\'`, "a\nb", "</script>", "\u2028", "`${x}`", "\x00",
		`"`, "/i [x]", "- b", "é'"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		e := &fact.Expected{Kind: fact.Text, Role: "button", Want: s}
		a := assertion.Of(e, &tree.Node{ID: "c_1"}, "")
		if a.Playwright == "" {
			return
		}
		const before, after = "await expect(page.getByRole('button', { name: '", "' }).first()).toBeVisible();"
		inner, ok := strings.CutPrefix(a.Playwright, before)
		require.True(t, ok)
		inner, ok = strings.CutSuffix(inner, after)
		require.True(t, ok)
		require.NotContains(t, inner, "\n")
		require.NotContains(t, inner, "\u2028")
		require.NotContains(t, inner, "<")
		for i := 0; i < len(inner); i++ {
			switch inner[i] {
			case '\\':
				i++ // the escaped character
				require.Less(t, i, len(inner), "it escapes the quote that ends the literal")
			case '\'':
				t.Fatalf("the literal ends early: %s", a.Playwright)
			}
		}
		var item string
		require.NoError(t, json.Unmarshal([]byte(strings.TrimPrefix(a.ARIA, "- ")), &item))
		require.True(t, strings.HasPrefix(item, "button /") && strings.HasSuffix(item, "/"), item)
	})
}
