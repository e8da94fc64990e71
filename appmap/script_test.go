package appmap_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/appmap"
	"github.com/memtree/memtree/ledger"
)

// A test goes the way by what has proved itself, and checks where it is.
func TestScript(t *testing.T) {
	w := ledger.Walk{Source: "explorer", Seen: []ledger.Sighting{
		{Kind: ledger.SeenPage, URL: "/"}, {Kind: ledger.SeenLink, URL: "/", To: "/orders", Name: "Bob's orders"},
		{Kind: ledger.SeenLink, URL: "/orders", To: "/orders/7", Name: "Order 7"},
		{Kind: ledger.SeenLink, URL: "/orders/7", To: "/bill", Role: "link", Name: "Bill"},
	}}
	for range 7 {
		w.Seen = append(w.Seen, click("/", "link", "Bob\\'s orders", ""))
		w.Seen[len(w.Seen)-1].Name = "Bob's orders"
		bad := click("/orders", "link", "Order 7", "/orders/7")
		bad.Selector = "page.getByRole('link'); fetch('http://evil.test')"
		w.Seen = append(w.Seen, bad)
		css := click("/orders", "link", "Order 7", "/orders/7")
		css.Selector = "#list a"
		w.Seen = append(w.Seen, css)
	}
	m := mapOf(w)
	s, err := m.Script("shop", "/", "https://shop.test/bill?x=1")
	require.NoError(t, err)
	require.Equal(t, `import { expect, test } from '@playwright/test';

test('/ to /bill', async ({ page }) => {
  await page.goto('/');
  await page.getByRole('link', { name: 'Bob\'s orders' }).click(); // worked 7 of 7 times
  await expect(page).toHaveURL(new RegExp('^[^?#]*/orders/?([?#].*)?$'));
  await page.locator('#list a').click(); // worked 7 of 7 times
  await expect(page).toHaveURL(new RegExp('^[^?#]*/orders/[^/?#]+/?([?#].*)?$'));
  await page.getByRole('link', { name: 'Bill' }).click(); // not tried yet
  await expect(page).toHaveURL(new RegExp('^[^?#]*/bill/?([?#].*)?$'));
});
`, s.Code)
	require.Equal(t, 2, s.Proven)
	require.Len(t, s.Steps, 3)
	_, err = m.Script("shop", "/bill", "/")
	require.ErrorIs(t, err, appmap.ErrNoWay)
	_, err = m.Script("shop", "/orders/9", "/bill")
	require.ErrorIs(t, err, appmap.ErrNoStart)
	_, err = m.Script("bank", "/", "/bill")
	require.ErrorIs(t, err, appmap.ErrNoWay)
}

// Whatever selectors and names are, a test has no code of theirs: outside of strings there are the calls alone.
func FuzzScript(f *testing.F) {
	for _, s := range []string{
		"page.getByRole('button')", "page.getByText('a'+alert(1))", "'); process.exit(); ('", "page.locator(`${x}`)",
		"page.getByRole('b', { name: '\\'' }).nth(1)", "xpath=//a[@id='x']", "page.evaluate('1')", "a\\",
		"page.getByText('\u2028')",
	} {
		f.Add(s, "name")
		f.Add("a", s)
	}
	f.Fuzz(func(t *testing.T, selector, name string) {
		if len(selector) > 500 || len(name) > 200 {
			return
		}
		w := ledger.Walk{Source: "x", Seen: []ledger.Sighting{
			{Kind: ledger.SeenAction, URL: "/", Do: "click", Role: "link", Name: name, Selector: selector, To: "/b"},
		}}
		s, err := mapOf(w).Script("shop", "/", "/b")
		if err != nil {
			return
		}
		for line := range strings.SplitSeq(strings.TrimSuffix(s.Code, "\n"), "\n") {
			bare := withoutStrings(line)
			require.NotContains(t, bare, "'", s.Code)
			require.NotContains(t, bare, "`", s.Code)
			require.Regexp(t, `^(\}\);|import \{ expect, test \} from _;|test\(_, async \(\{ page \}\) => \{|`+
				`  await page[a-zA-Z.(){}_:, \-0-9\s]*;( //.*)?|`+
				`  await expect\(page\)\.toHaveURL\(new RegExp\(_\)\);|)$`, bare)
		}
	})
}

// withoutStrings returns a line of JavaScript with _ in the place of its strings.
func withoutStrings(line string) string {
	var b strings.Builder
	r := []rune(line)
	for i := 0; i < len(r); i++ {
		if r[i] != '\'' && r[i] != '"' {
			b.WriteRune(r[i])
			continue
		}
		end := r[i]
		for i++; i < len(r) && r[i] != end; i++ {
			if r[i] == '\\' {
				i++
			}
		}
		b.WriteByte('_')
	}
	return b.String()
}
