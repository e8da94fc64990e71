package ingest_test

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/appmap"
	"github.com/memtree/memtree/ingest"
	"github.com/memtree/memtree/internal/golden"
	"github.com/memtree/memtree/ledger"
)

func read(name, content string, o ingest.WalkOptions) (walks []ledger.Walk, err error) {
	for w, fault := range ingest.ReadWalks(name, strings.NewReader(content), int64(len(content)), o) {
		if fault != nil {
			return walks, fault
		}
		walks = append(walks, w)
	}
	return walks, nil
}

// TestFormats compares what is read of a file of each format with a golden file. testdata/make.mjs made those of
// Playwright; the others are ours.
func TestFormats(t *testing.T) {
	for name, o := range map[string]ingest.WalkOptions{
		"trace.zip": {Build: "1.4"}, "walk.har": {}, "login.aria.yaml": {Page: "/login.html"}, "sitemap.xml": {},
		"openapi.yaml": {}, "login.cache.yaml": {Page: "/login.html"}, "requirements.csv": {},
	} {
		t.Run(name, func(t *testing.T) {
			b, err := os.ReadFile(filepath.Join("testdata", name))
			require.NoError(t, err)
			o.Product = "shop"
			walks, err := read(name, string(b), o)
			require.NoError(t, err)
			m := appmap.New()
			var out strings.Builder
			for _, w := range walks {
				fmt.Fprintf(&out, "%s, run %s, test %q\n", w.Source, w.Run, w.Test)
				require.NoError(t, w.Check())
				for _, s := range w.Seen {
					for _, secret := range []string{"ann@example.com", "a secret", "abc123", "{}"} {
						if strings.Contains(secret, "abc") { // the value of a parameter goes when the walk is stored
							continue
						}
						require.NotContains(t, fmt.Sprint(s), secret)
					}
					fmt.Fprintln(&out, line(&s))
				}
				m.Add(&ledger.Entry{At: time.Unix(0, 0), Walk: &w})
			}
			golden.Equal(t, filepath.Join("testdata", name+".golden"), out.String())
			again, err := read(name, string(b), o)
			require.NoError(t, err)
			require.Equal(t, walks, again, "the same file gives the same walks")
		})
	}
}

// line is a sighting as a golden file has it: without the port of the site and without durations.
func line(s *ledger.Sighting) string {
	at := func(u string) string {
		if i := strings.Index(u, "127.0.0.1:"); i >= 0 {
			_, u, _ = strings.Cut(u[i:], "/")
			return "/" + u
		}
		return u
	}
	out := fmt.Sprintf("%-11s %s", s.Kind, at(s.URL))
	for _, f := range []struct{ name, value string }{
		{"title", s.Title}, {"role", s.Role}, {"name", s.Name}, {"place", s.Place}, {"do", s.Do}, {"by", s.Selector},
		{"to", at(s.To)}, {"code", s.Code}, {"priority", s.Priority},
		{"params", strings.Join(s.Params, " ")}, {"steps", strings.Join(s.Steps, " | ")},
		{"tests", strings.Join(s.Tests, " | ")},
	} {
		if f.value != "" {
			out += fmt.Sprintf(" · %s %s", f.name, f.value)
		}
	}
	if s.Failed {
		out += " · failed"
	}
	if s.Status != 0 {
		out += fmt.Sprint(" · status ", s.Status)
	}
	return out
}

func TestLines(t *testing.T) {
	walks, err := read("w.jsonl", `{"source":"bot","run":"r1","seen":[{"kind":"page","url":"/a"}]}`+"\n\n"+
		`{"source":"bot","run":"r1","part":1,"seen":[{"kind":"page","url":"/b"}]}`, ingest.WalkOptions{Product: "shop"})
	require.NoError(t, err)
	require.Len(t, walks, 2)
	require.NoError(t, walks[1].Check())
	require.Equal(t, "shop", walks[0].Product)
}

func TestLongFilesAreSeveralWalks(t *testing.T) {
	var b strings.Builder
	b.WriteString(`<urlset>`)
	for i := range 1200 {
		fmt.Fprintf(&b, "<url><loc>https://x.test/%c%d</loc></url>", 'a'+i%26, i)
	}
	b.WriteString("</urlset>")
	walks, err := read("sitemap.xml", b.String(), ingest.WalkOptions{})
	require.NoError(t, err)
	require.Len(t, walks, 3)
	require.Equal(t, []int{0, 1, 2}, []int{walks[0].Part, walks[1].Part, walks[2].Part})
	require.NotEqual(t, walks[0].ID, walks[1].ID)
}

func TestFaults(t *testing.T) {
	trace := func(name, content string) string {
		var b bytes.Buffer
		z := zip.NewWriter(&b)
		w, err := z.Create(name)
		require.NoError(t, err)
		_, err = w.Write([]byte(content))
		require.NoError(t, err)
		require.NoError(t, z.Close())
		return b.String()
	}
	whole := trace("trace.trace", `{"type":"before"}`)
	for name, c := range map[string]struct{ file, content, want string }{
		"nothing known":  {"a.txt", "hello", "is in no format that is known; use --from with one of playwright, "},
		"empty":          {"a.txt", "", "is empty"},
		"zip cut off":    {"t.zip", whole[:len(whole)-8], "breaks off or is damaged"},
		"zip without":    {"t.zip", trace("../../etc/passwd", "x"), "is a zip without a trace in it"},
		"trace no JSON":  {"t.zip", trace("a.trace", "{}\n{"), "a.trace line 2: is no event of a trace"},
		"har cut off":    {"a.har", `{"log":{"entries":[{"request":`, "log.entries[0]: cannot be read"},
		"har empty":      {"a.har", `{"log":{}}`, "has no log.entries"},
		"har no list":    {"a.har", `{"log":{"entries":7}}`, "log.entries: is no list"},
		"openapi broken": {"o.yaml", "openapi: 3.0.0\npaths: [", "is no JSON or YAML that can be read"},
		"openapi empty":  {"o.yaml", "openapi: 3.0.0\n", "paths: is missing or empty"},
		"sitemap broken": {"s.xml", "<urlset><loc>", "is no XML"},
		"midscene":       {"c.yaml", "midsceneVersion: 1\ncaches:\n", "name it with --page"},
		"line":           {"w.jsonl", `{"source":"a","seen":[{"kind":"page","url":"/a","x":1}]}`, "line 1: is no walk"},
		"no kind":        {"w.jsonl", `{"source":"a","seen":[{"url":"/a"}]}`, "seen[0].kind is missing"},
		"table":          {"r.csv", "title\nx", "line 1: names no column code"},
		"no code":        {"r.csv", "code,title\n,x", "line 2: has no code"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := read(c.file, c.content, ingest.WalkOptions{})
			require.ErrorContains(t, err, c.want)
			require.ErrorContains(t, err, c.file)
		})
	}
}

func FuzzReadWalks(f *testing.F) {
	for _, name := range []string{
		"trace.zip", "walk.har", "login.aria.yaml", "sitemap.xml", "openapi.yaml", "login.cache.yaml", "requirements.csv",
	} {
		b, err := os.ReadFile(filepath.Join("testdata", name))
		require.NoError(f, err)
		f.Add(name, b)
	}
	f.Fuzz(func(t *testing.T, name string, b []byte) {
		for w, err := range ingest.ReadWalks(name, bytes.NewReader(b), int64(len(b)), ingest.WalkOptions{Page: "/p"}) {
			if err != nil {
				return
			}
			require.LessOrEqual(t, len(w.Seen), ledger.MaxSightings)
			m := appmap.New()
			m.Add(&ledger.Entry{Walk: &w})
		}
	})
}

// A trace of one line that unpacks to more than a line may have, and one that unpacks to more than a trace may have,
// are refused before they are in memory.
func TestBombs(t *testing.T) {
	zeros := func(name string, n int) string {
		var b bytes.Buffer
		z := zip.NewWriter(&b)
		w, err := z.Create(name)
		require.NoError(t, err)
		block := bytes.Repeat([]byte(" "), 1<<20)
		for range n {
			_, err = w.Write(block)
			require.NoError(t, err)
		}
		require.NoError(t, z.Close())
		return b.String()
	}
	bomb := zeros("a.trace", 20)
	require.Less(t, len(bomb), 1<<20)
	_, err := read("t.zip", bomb, ingest.WalkOptions{})
	require.ErrorContains(t, err, "a.trace line 1: breaks off, or is longer than")
	ingest.SetMostUnpacked(t, 1<<20)
	event := []byte("{\"type\":\"input\"}\n")
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, err := z.Create("b.trace")
	require.NoError(t, err)
	_, err = w.Write(bytes.Repeat(event, 1<<17))
	require.NoError(t, err)
	require.NoError(t, z.Close())
	_, err = read("t.zip", b.String(), ingest.WalkOptions{})
	require.ErrorContains(t, err, "b.trace: unpacks to more than 1048576 bytes")
}

// Of an HTTP archive with secrets in addresses, headers, cookies and bodies none gets into the ledger.
func TestSecretsOfAnArchive(t *testing.T) {
	har := `{"log":{"creator":{"name":"x"},"entries":[{"request":{"method":"POST",` +
		`"url":"https://shop.test/login?token=sk-live-4242424242424242&next=/",` +
		`"headers":[{"name":"Authorization","value":"Bearer hunter2hunter2"},` +
		`{"name":"Cookie","value":"sid=hunter2hunter2"},` +
		`{"name":"Referer","value":"https://shop.test/start?pw=hunter2hunter2"}],` +
		`"cookies":[{"name":"sid","value":"hunter2hunter2"}],"postData":{"text":"password=hunter2hunter2"}},` +
		`"response":{"status":200,"headers":[{"name":"Set-Cookie","value":"hunter2hunter2"}],` +
		`"content":{"mimeType":"application/json","text":"hunter2hunter2"}},"_resourceType":"fetch"}]}}`
	walks, err := read("a.har", har, ingest.WalkOptions{Product: "shop"})
	require.NoError(t, err)
	var stored []ledger.Entry
	m := appmap.New()
	atlas := appmap.NewAtlas(func(_ context.Context, f func(*appmap.Map)) error { f(m); return nil },
		func(_ context.Context, es []ledger.Entry) error { stored = append(stored, es...); return nil },
		func(s string) string { return s }, time.Now)
	for _, w := range walks {
		_, err := atlas.Add(t.Context(), w)
		require.NoError(t, err)
	}
	b, err := json.Marshal(stored)
	require.NoError(t, err)
	require.Contains(t, string(b), "/login?next\\u0026token", "names of parameters stay")
	for _, secret := range []string{"hunter2", "sk-live", "4242"} {
		require.NotContains(t, string(b), secret)
	}
}

// TestOperableElementsAreSeen: whatever one acts on is seen by its text, whatever its role.
func TestOperableElementsAreSeen(t *testing.T) {
	walks, err := read("a.aria.yaml", "- grid \"Board\":\n  - gridcell: Three\n- menu \"View\":\n"+
		"  - menuitemradio [checked]: Large\n- treeitem: Inbox\n- textbox: typed\n", ingest.WalkOptions{Product: "shop"})
	require.NoError(t, err)
	var got []string
	for _, s := range walks[0].Seen[1:] {
		got = append(got, s.Role+" "+s.Name+" in "+s.Place)
	}
	require.Subset(t, got, []string{"gridcell Three in ", "menuitemradio Large in menu View", "treeitem Inbox in "})
	require.Contains(t, got, "textbox  in ", "what was typed is no name")
}
