package ingest

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/tree"
)

func texts(list []FileStatement) (out []string) {
	for _, r := range list {
		out = append(out, r.Text)
	}
	return out
}

// Lists of issues as trackers export them: columns by their usual names, in any case; closed ones only with the build
// in which they are fixed; several columns of one name.
func TestIssues(t *testing.T) {
	jira := "\xef\xbb\xbfIssue key,Summary,Status,Fix Version/s,Fix Version/s,Component/s\n" +
		"SHOP-1,\"Total shows 0,00 for guests\",Open,,,cart\n" +
		"SHOP-2,Search forgets the filter,Done,,,search\n" +
		"SHOP-3,Refund mail has no amount,Done,1.4,1.5,mail\n" +
		"SHOP-4,,Open,,,mail\n"
	got, err := statementsOf("jira.csv", []byte(jira), StatementOptions{})
	require.EqualError(t, err, "jira.csv, line 5: has no summary; name its column, statement=NAME")
	require.Equal(t, []string{"SHOP-1: Total shows 0,00 for guests", "SHOP-3: Refund mail has no amount"}, texts(got))
	require.Equal(t, ledger.Statement{Text: "SHOP-3: Refund mail has no amount", Kind: ledger.KnownBug, Fixed: "1.4",
		Scope: tree.Scope{Product: "mail"}}, got[1].Statement)

	named, err := statementsOf("own.csv", []byte("nr;was;seite\n7;Knopf fehlt;/cart\n"), StatementOptions{Product: "shop",
		Columns: map[string]string{"statement": "Was", "key": "nr", "page": "seite"}})
	require.NoError(t, err)
	require.Equal(t, ledger.Statement{Text: "7: Knopf fehlt", Kind: ledger.KnownBug, Pages: []string{"/cart"},
		Scope: tree.Scope{Product: "shop"}}, named[0].Statement)
	_, err = statementsOf("own.csv", []byte("a,b\n1,2\n"), StatementOptions{Columns: map[string]string{"statement": "c"}})
	require.EqualError(t, err, `own.csv: has no column "c" for statement; its columns are a, b`)

	github := `[{"number":12,"title":"Map is blank offline","state":"open","milestone":{"title":"2.0"}},
		{"number":13,"title":"Old","state":"closed"}, 7]`
	got, err = statementsOf("issues.json", []byte(github), StatementOptions{Product: "maps"})
	require.ErrorContains(t, err, "issues.json, element 3: is no JSON object")
	require.Equal(t, []string{"12: Map is blank offline"}, texts(got))
	require.Equal(t, "2.0", got[0].Fixed)
	_, err = statementsOf("x", nil, StatementOptions{})
	require.EqualError(t, err, "x: is empty")
}

// memtree's own lines are what know export writes; a line that is none is named.
func TestOwnLines(t *testing.T) {
	got, err := statementsOf("f.jsonl",
		[]byte(`{"statement":"A seat is held for 15 minutes.","kind":"rule","pages":["/seats"],`+
			`"scope":{"product":"travel"}}`+"\n\n"+`{"statement":"Codes are 888888.","product":"bank"}`+"\nnot json\n"),
		StatementOptions{})
	require.ErrorContains(t, err, "f.jsonl, line 4: is no JSON object")
	require.Equal(t, []ledger.Statement{
		{Text: "A seat is held for 15 minutes.", Kind: ledger.Rule, Pages: []string{"/seats"},
			Scope: tree.Scope{Product: "travel"}},
		{Text: "Codes are 888888.", Scope: tree.Scope{Product: "bank"}},
	}, []ledger.Statement{got[0].Statement, got[1].Statement})
}

// An observation as agent-qa writes it is read by its folder; what memtree writes for agent-qa is read back the same.
func TestObservations(t *testing.T) {
	dir := t.TempDir()
	put := func(name, content string) {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o750))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600))
	}
	const head = "---\nid: obs_x\ntitle: Orders appear late\ntrust: 0.55\ncreated: 2026-04-30T10:00:00.000Z\n" +
		"last_confirmed: 2026-05-02T10:00:00.000Z\nconfirmed_count: 1\ncontradicted_count: 0\nsource_test: t_a\n"
	put("products/shop/obs_a.md", head+"---\n\nA new order appears in the list\nwithin ten seconds.\n")
	put("tests/t_a/obs_b.md", head+"---\n")
	put("suites/s_1/obs_c.md", strings.ReplaceAll(head, "\n", "\r\n")+"position: 1\r\nsuite_snapshot:\r\n"+
		"  - test: login\r\n    id: t_a\r\n  - test: order\r\n    id: t_b\r\n---\r\n\r\nThe cart is empty.\r\n")
	put("products/shop/README.md", "# no observation")
	got, err := ReadStatements(dir, StatementOptions{})
	require.EqualError(t, err, "products/shop/README.md: is no observation: it begins with no front matter between "+
		"two lines of ---")
	require.Equal(t, []ledger.Statement{
		{Text: "A new order appears in the list within ten seconds.", Kind: ledger.Behaviour,
			Scope: tree.Scope{Product: "shop"}},
		{Text: "The cart is empty.", Kind: ledger.Behaviour,
			Scope: tree.Scope{Suite: "s_1", SuiteTests: []string{"t_a", "t_b"}, Position: 1}},
		{Text: "Orders appear late", Kind: ledger.Behaviour, Scope: tree.Scope{Test: "t_a"}},
	}, []ledger.Statement{got[0].Statement, got[1].Statement, got[2].Statement})

	for _, s := range []ledger.Statement{
		{Text: "Prices: \"net\" # of tax", Kind: ledger.Behaviour, Pages: []string{"/cart", "/checkout"},
			Scope: tree.Scope{Product: "shop"}},
		got[1].Statement,
	} {
		o := &Observation{Statement: s, Trust: 0.75, Since: time.Unix(0, 0), Used: time.Unix(9, 0), Confirms: 2}
		name, err := ObservationPath(o)
		require.NoError(t, err)
		var b bytes.Buffer
		require.NoError(t, WriteObservation(&b, o))
		again, err := statementsOf(name, b.Bytes(), StatementOptions{})
		require.NoError(t, err, b.String())
		require.Equal(t, s, again[0].Statement)
	}
	_, err = ObservationPath(&Observation{Statement: ledger.Statement{Text: "x", Scope: tree.Scope{Product: "../etc"}}})
	require.ErrorContains(t, err, "cannot be the name of a folder")
	_, err = ObservationPath(&Observation{Statement: ledger.Statement{Text: "It holds everywhere."}})
	require.ErrorContains(t, err, "names no product, suite or test")
}

// No content stops a reader: it is read, or refused with a sentence.
func FuzzBytes(f *testing.F) {
	for _, s := range []string{"a,b\n1,2", "[{}]", `{"statement":"x"}`, "---\ntitle: x\n---\nbody", "---\n&a [*a]\n---\n",
		"\"", "title;state\n\"x\n;", "[1", "\xff\xfe"} {
		f.Add("products/shop/x.md", []byte(s))
	}
	f.Fuzz(func(t *testing.T, name string, b []byte) {
		got, err := statementsOf(name, b, StatementOptions{Product: "p"})
		require.True(t, len(got) > 0 || err != nil || len(bytes.TrimSpace(b)) > 0)
		for _, r := range got {
			require.NotEmpty(t, r.Text)
		}
	})
}
