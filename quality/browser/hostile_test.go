package browser

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/tree"
)

// quoted returns a text as a JavaScript literal.
func quoted(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err) // a string can always be encoded
	}
	return string(b)
}

// hostile returns texts that run a script in a page that does not escape them.
func hostile(t *testing.T) []string {
	out := []string{
		`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `javascript:alert(1)`,
		`</textarea><svg onload=alert(1)>`, `' autofocus onfocus=alert(1) x='`, `</title><script>alert(1)</script>`,
	}
	for _, name := range []string{"security/xss_dompurify.jsonl", "security/xss_prompt_csv_patt.jsonl"} {
		f, err := os.Open(shared(name))
		if err != nil {
			t.Logf("%s is not here: %v", name, err)
			continue
		}
		lines := bufio.NewScanner(f)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			var x struct{ Text, Payload string }
			require.NoError(t, json.Unmarshal(lines.Bytes(), &x))
			if s := cmp.Or(x.Text, x.Payload); s != "" && len(s) < 2000 {
				out = append(out, s)
			}
		}
		require.NoError(t, f.Close())
	}
	return out
}

// TestHostileTexts: hostile texts on every page open no dialog, and violate no content security policy.
func TestHostileTexts(t *testing.T) {
	texts := hostile(t)
	w := newWorld(t)
	right, wrong := true, false
	var es []memtree.Evaluation
	for i, s := range texts {
		begin := s[:min(len(s), 200)]
		e := memtree.Evaluation{
			ID: fmt.Sprint(
				i,
			), CaseID: begin, Prompt: "Check " + s, Reason: s, Scene: tree.Scene{Route: "/" + begin, Type: begin},
			Judgment: tree.Raw(`{"verdict":"pass","reason":` + quoted(s) + `}`), Agent: tree.Agent{Name: begin},
		}
		switch i % 3 {
		case 0:
			e.GroundTruth, e.Correct = tree.Raw(quoted(s)), &wrong
		case 1:
			e.GroundTruth, e.Correct = tree.Raw(`"pass"`), &right
		}
		es = append(es, e)
	}
	w.record(w.m, es)
	w.evolve(w.m, nil)
	w.bring(es)
	c := newChrome(t, w.url)
	c.signIn(w)
	const in = "/trees/default/"
	paths := []string{in + "inbox", in + "memories?level=all&state=all", in + "review", in + "effect", in + "health"}
	for n, err := range w.m.Tree().Scan(t.Context(), store.Filter{}) {
		require.NoError(t, err)
		paths = append(paths, in+"memories/"+n.ID)
		if n.Type != tree.Case && n.Live() {
			paths = append(paths, in+"memories/"+n.ID+"/edit")
		}
	}
	for i, s := range texts {
		q := url.QueryEscape(s)
		paths = append(paths, in+"ask?prompt="+q+"&route="+q+"&observation="+q)
		switch i % 4 { // these pages show texts of the address only
		case 0:
			paths = append(paths, in+"memories?words="+q+"&level="+q+"&state="+q)
		case 1:
			paths = append(paths, "/login?next="+q)
		}
	}
	stopped := 0
	for _, path := range paths {
		c.visit(path)
		for _, what := range c.stopped() {
			stopped++
			t.Errorf("%s: the policy stopped %s", path, what)
		}
		require.Zero(t, c.alerts.Load(), path)
	}
	// Every unlabelled verdict gets a hostile text as its note, to test the page after it too.
	for i := range min(20, len(texts)) {
		c.visit(in + "inbox")
		if !eval[bool](c, `!!document.querySelector("li.verdict input[name=reason]")`) {
			break
		}
		eval[bool](c, `(function () { document.querySelector("li.verdict input[name=reason]").value = `+quoted(texts[i])+
			`; document.querySelector("li.verdict button[value=false_pass]").click(); return true; })()`)
		c.says("Noted: the verdict was wrong")
		require.Empty(t, c.stopped())
	}
	require.Zero(t, c.alerts.Load())
	t.Logf(
		"%d texts, %d pages, %d dialogs, %d times the policy stopped something",
		len(texts),
		len(paths),
		c.alerts.Load(),
		stopped,
	)
}
