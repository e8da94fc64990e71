package midscene

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/memtree/memtree/internal/golden"
)

const advice = "<memory-context>\n- Check: add up the lines. 核对合计：\"59.80\" #1\n  - two\n\n" +
	"[Missed here before; do this]: it's so\n</memory-context>"

func read(t testing.TB, src string) *YAMLScript {
	t.Helper()
	s, err := Read("in.yaml", []byte(src))
	require.NoError(t, err)
	return s
}

// tellAll writes a text into each step.
func tellAll(t testing.TB, s *YAMLScript, text string) string {
	t.Helper()
	told := make([]string, len(s.Steps))
	for i := range told {
		told[i] = text
	}
	out, err := s.Write(told)
	require.NoError(t, err)
	return string(out)
}

// TestGolden: a script with all features of Midscene, and the same with guidance.
func TestGolden(t *testing.T) {
	src, err := os.ReadFile("testdata/cart.yaml")
	require.NoError(t, err)
	s := read(t, string(src))
	out := tellAll(t, s, advice)
	golden.Equal(t, "testdata/cart.told.golden", out)
	var b strings.Builder
	for _, st := range s.Steps {
		fmt.Fprintf(&b, "%d %s %d %s %s %q route=%q own=%q left=%q\n",
			st.Line, st.Task, st.Number, st.Field, st.API, st.Prompt, st.Route, st.Own, st.Left)
	}
	golden.Equal(t, "testdata/cart.steps.golden", b.String())

	again := read(t, out)
	require.Equal(t, string(src), string(again.Plain()), "it comes back byte for byte")
	require.Equal(t, out, tellAll(t, again, advice), "twice is once")
	require.Contains(t, tellAll(t, again, "other"), "other")
	require.NotContains(t, tellAll(t, again, "other"), "add up the lines")
}

// TestAddedLines: where a step had no context, taking the added lines out by hand gives the script too.
func TestAddedLines(t *testing.T) {
	src := "tasks:\n  - name: 购物车 # 注释\n    flow:\n      - aiAssert: '合计正确'\n        name: ok\n\n" +
		"      - ai: go on # note\n"
	out := tellAll(t, read(t, src), advice)
	var kept []string
	lines := strings.SplitAfter(out, "\n")
	for i := 0; i < len(lines); i++ {
		if m, ok := readMark(strings.TrimRight(lines[i], "\n")); ok {
			i += m.lines
			continue
		}
		kept = append(kept, lines[i])
	}
	require.Equal(t, src, strings.Join(kept, ""))
}

func TestLayouts(t *testing.T) {
	const head = "tasks:\n- name: x\n  flow:\n"
	for name, src := range map[string]string{
		"no line break at the end": head + "  - ai: y",
		"own, no line break":       head + "  - ai: y\n    context: z",
		"crlf":                     inDOS(head + "  - ai: |-\n      a\n      b\n    context: z # c\n  - ai: y\n"),
		"byte order mark":          "\ufeff" + head + "  - ai: y\n",
		"kept line breaks":         head + "  - ai: |+\n      y\n\n\n  # about\n  - ai: z\n",
		"folded":                   head + "  - ai: >\n      y\n\n      z\n\n  - ai: z\n",
		"quotes over lines":        head + "  - ai: \"y\n      # no comment\n\n      \\\" z\"\n    name: n\n",
		"single quotes over lines": head + "  - ai: 'it''s\n\n      so: '\n",
		"plain over lines":         head + "  - ai: y\n      and z\n      # about\n  - ai: z\n",
		"images": head + "  - ai:\n      prompt: y\n      images:\n" +
			"      - name: a\n        url: b\n  - ai: z\n",
		"quoted key":              head + "  - \"ai\" : y\n    'context' : z\n",
		"context first":           head + "  - context: \"z\"\n    ai: y\n",
		"own block":               head + "  - context: |\n      z\n        deeper\n\n    # about\n    ai: y\n",
		"own kept":                head + "  - context: |+\n      z\n\n\n    ai: y\n",
		"own tabs and odd spaces": head + "  - context: \"\\tz  \\n  a\\u2028\"\n    ai: y\n",
		"own variable":            head + "  - context: look at ${NAME} # ${NAME}\n    ai: y\n",
		"own empty":               head + "  - context: ''\n    ai: y\n  - ai: y\n    context:\n  - ai: y\n    context: ~\n",
		"own nothing at the end":  head + "  - ai: y\n    context:",
		"own alias":               "x: &own z\n" + head + "  - context: *own\n    ai: y\n",
		"anchored step":           head + "  - &s\n    ai: y\n  - *s\n",
		"anchored prompt":         head + "  - ai: &p y\n    cacheable: false\n  - ai: *p\n",
		"deep dashes":             "tasks:\n  -   name: x\n      flow:\n      -    ai: y\n           name: n\n",
		"braces":                  head + "  - {ai: y}\n  - ai: z\n",
		"marker in a prompt":      head + "  - ai: |\n      context: |- # memtree enhance: 1 lines, 00000000\n      z\n",
		"a document":              "---\n" + head + "  - ai: y\n...\n",
		"text at the dash": head + "  - aiAssert: a\n    errorMessage: b\n" +
			"  - sleep: 10\n  - javascript: |\n      ai: 3\n",
	} {
		for _, text := range []string{
			advice, "one line", "has ${HOME} in it", "odd \u2028 \x07 line\r\n", " leading", "\ttab", "end\n", "- x: 'y", "\n",
		} {
			s := read(t, src)
			out := tellAll(t, s, text)
			require.NotEqual(t, src, out, name)
			again := read(t, out)
			require.Equal(t, src, string(again.Plain()), name)
			require.Equal(t, out, tellAll(t, again, text), name)
			require.NotContains(t, strings.ReplaceAll(out, "${NAME}", ""), "${", name)
		}
	}
}

// TestOwnFirst: the user's context comes first, and the one that Midscene would have used is part of it.
func TestOwnFirst(t *testing.T) {
	out := tellAll(t, read(t, "agent:\n  aiContexts:\n    default: Prices are in euro\n    aiAct: Be slow\n"+
		"tasks:\n- name: x\n  flow:\n"+
		"  - aiAssert: y\n  - ai: z\n  - aiAssert: y\n    context: Mine\n"), advice)
	now, err := look("out.yaml", []byte(out))
	require.NoError(t, err)
	require.Equal(t, "Prices are in euro\n\n"+advice, now.steps[0].Own)
	require.Equal(t, "Be slow\n\n"+advice, now.steps[1].Own)
	require.Equal(t, "Mine\n\n"+advice, now.steps[2].Own)
}

func TestByHand(t *testing.T) {
	out := tellAll(t, read(t, "tasks:\n- name: x\n  flow:\n  - ai: y\n    context: mine\n"), advice)
	for _, changed := range []string{
		strings.Replace(out, "add up", "count", 1),
		strings.Replace(out, "mine\n", "mine\n      and more\n", 1),
		strings.Replace(out, "enhance: 8", "enhance: 800", 1),
	} {
		require.NotEqual(t, out, changed)
		_, err := Read("in.yaml", []byte(changed))
		var e *ScriptError
		require.True(t, errors.As(err, &e), changed)
		require.Equal(t, 5, e.Line)
		require.Equal(t, "tasks[0].flow[0].context", e.Field)
	}
	kept := read(t, out[:strings.Index(out, markWords)]+out[strings.Index(out, "\n      mine"):])
	require.Equal(t, leftTold, kept.Steps[0].Left, "without its mark it is the user's own")
}

func TestErrors(t *testing.T) {
	for src, want := range map[string]string{
		"":                                "in.yaml is empty",
		"a: [":                            "in.yaml:1: is no YAML",
		"- x":                             "in.yaml:1: is no script of Midscene: it has no fields",
		"web: {}":                         "in.yaml: tasks is missing",
		"tasks: 3":                        "in.yaml:1: tasks is no list",
		"tasks:\n- 3":                     "in.yaml:2: tasks[0] is no task",
		"tasks:\n- a: b":                  "in.yaml:2: tasks[0].flow is missing",
		"tasks:\n- flow: b":               "in.yaml:2: tasks[0].flow is no list",
		"tasks:\n- flow:\n  - b":          "in.yaml:3: tasks[0].flow[0] is no step",
		"tasks: []\n---\ntasks: []":       "in.yaml has several documents",
		"\xff":                            "in.yaml is not UTF-8",
		"a: " + strings.Repeat("[", 1000): "in.yaml:1: nests deeper than 200",
		strings.Repeat("- ", 1000) + "x":  "in.yaml:1: nests deeper than 200",
		strings.Repeat("x", MaxScript+1):  "in.yaml is longer than 1048576 bytes",
	} {
		_, err := Read("in.yaml", []byte(src))
		require.ErrorContains(t, err, want)
	}
}

// TestAnyGuidance: for any text only contexts change, and the script can be restored.
func TestAnyGuidance(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		own := rapid.StringOf(rapid.RuneFrom([]rune("a #:'\"\n\t-|>&*!%@`{}[],$\\合 \u0085\u2028\ufeff"))).Draw(t, "own")
		runes := []rune("a #:'\"\n\t\r-|>&*!%@`{}[],$\\合 \x00\x1b\u0085\u2028\ufeff")
		text := rapid.StringOf(rapid.RuneFrom(runes)).Draw(t, "text")
		src := "tasks:\n- name: x\n  flow:\n  - ai: y\n    context: \"" + escape(own) + "\"\n  - aiAssert: z\n"
		s, err := Read("in.yaml", []byte(src))
		require.NoError(t, err)
		out, err := s.Write([]string{text, text})
		require.NoError(t, err)
		again, err := Read("in.yaml", out)
		require.NoError(t, err)
		require.Equal(t, src, string(again.Plain()))
	})
}

// FuzzScript: whatever a script and a text are, the script is refused, or is written so that nothing but contexts
// changes, and comes back byte for byte.
func FuzzScript(f *testing.F) {
	b, err := os.ReadFile("testdata/cart.yaml")
	require.NoError(f, err)
	f.Add(b, advice)
	f.Add([]byte("tasks:\n- flow:\n  - ai: y\n    context: >+\n     z\n\n"), "${X}\n")
	f.Add([]byte("tasks: [{flow: [{ai: y}, &a {ai: z}, *a]}]"), "x")
	f.Fuzz(func(t *testing.T, src []byte, text string) {
		s, err := Read("in.yaml", src)
		if err != nil {
			var e *ScriptError
			require.ErrorAs(t, err, &e)
			return
		}
		told := make([]string, len(s.Steps))
		for i := range told {
			told[i] = text
		}
		out, err := s.Write(told)
		if err != nil {
			return
		}
		again, err := Read("in.yaml", out)
		if len(out) <= MaxScript {
			require.NoError(t, err)
			require.True(t, bytes.Equal(s.Plain(), again.Plain()))
		}
	})
}

// inDOS ends lines as DOS does.
func inDOS(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") }
