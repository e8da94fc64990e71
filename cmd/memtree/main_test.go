package main

import (
	"bytes"
	"context"
	"encoding"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"aead.dev/minisign"
	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/memtree/memtree/internal/cli/access"
	"github.com/memtree/memtree/internal/cli/input"
	"github.com/memtree/memtree/internal/cli/say"
	"github.com/memtree/memtree/internal/golden"
	"github.com/memtree/memtree/internal/text"
	jsonstore "github.com/memtree/memtree/store/json"
)

// asMemtree makes the test binary run as the program, for tests that kill it.
const asMemtree = "MEMTREE_TEST_AS_MEMTREE"

func TestMain(m *testing.M) {
	if os.Getenv(asMemtree) != "" {
		main()
	}
	testscript.Main(leakless{m}, map[string]func(){"memtree": main})
}

// leakless fails tests that leave goroutines behind.
type leakless struct{ m *testing.M }

func (l leakless) Run() int {
	code := l.m.Run()
	if code == 0 {
		if err := goleak.Find(); err != nil {
			_, _ = os.Stderr.WriteString(err.Error() + "\n")
			return 1
		}
	}
	return code
}

// TestStories runs the stories of testdata: each reads as a page of the manual.
func TestStories(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata",
		Setup: func(e *testscript.Env) error {
			e.Setenv("LANG", "en_US.UTF-8")
			return nil
		},
		Condition: func(cond string) (bool, error) {
			return cond == "root" && os.Geteuid() == 0, nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"hold":    hold,
			"narrow":  narrow,
			"damage":  damage,
			"keys":    keys,
			"reached": reached,
			"edited":  edited,
			"read":    readByHand,
		},
	})
}

// hold DIR keeps a store open for writing until the story ends.
func hold(ts *testscript.TestScript, _ bool, args []string) {
	s, err := jsonstore.OpenDir(context.Background(), ts.MkAbs(args[0]), jsonstore.Options{Started: time.Now()})
	ts.Check(err)
	ts.Defer(func() { ts.Check(s.Close()) })
}

// reached DIR waits until a process runs commands of others on a store.
func reached(ts *testscript.TestScript, _ bool, args []string) {
	for range 200 {
		c, err := access.Dial(ts.MkAbs(args[0]))
		if err == nil {
			ts.Check(c.Close())
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	ts.Fatalf("nobody answers at %s", args[0])
}

// narrow stdout|stderr fails if a line is wider than 80 cells or has an escape
// sequence in it.
func narrow(ts *testscript.TestScript, _ bool, args []string) {
	for l := range strings.SplitSeq(ts.ReadFile(args[0]), "\n") {
		if text.Width(l) > say.FullWidth {
			ts.Fatalf("%d cells: %s", text.Width(l), l)
		}
		if strings.Contains(l, "\x1b") {
			ts.Fatalf("escape sequence in %q", l)
		}
	}
}

// damage PATTERN [TORN] flips a bit in the middle of the first file that matches, or appends TORN to it.
func damage(ts *testscript.TestScript, _ bool, args []string) {
	found, err := filepath.Glob(ts.MkAbs(args[0]))
	ts.Check(err)
	if len(found) == 0 {
		ts.Fatalf("no file matches %s", args[0])
	}
	path := found[0]
	b, err := os.ReadFile(path) //nolint:gosec // a story's own file
	ts.Check(err)
	if len(args) > 1 {
		b = append(b, args[1]...)
	} else {
		b[len(b)/2] ^= 1
	}
	ts.Check(os.WriteFile(path, b, 0o600))
}

// edited FILE changes a guidance text in a script, like a person.
func edited(ts *testscript.TestScript, _ bool, args []string) {
	was := ts.ReadFile(args[0])
	now := strings.Replace(was, "Add up", "Count", 1)
	if now == was {
		ts.Fatalf("%s has nothing to change", args[0])
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(now), 0o600))
}

// keys NAME makes a pair of signing keys, NAME.key and NAME.pub.
func keys(ts *testscript.TestScript, _ bool, args []string) {
	public, secret, err := minisign.GenerateKey(nil)
	ts.Check(err)
	for suffix, key := range map[string]encoding.TextMarshaler{".key": secret, ".pub": public} {
		b, err := key.MarshalText()
		ts.Check(err)
		ts.Check(os.WriteFile(ts.MkAbs(args[0])+suffix, b, 0o600))
	}
}

// inTest returns an app without an environment, and what it prints on both streams.
func inTest(args ...string) (*app, *bytes.Buffer) {
	var out bytes.Buffer
	env := func(string) string { return "" }
	a := newApp(say.Process{Args: args, Stdout: &out, Stderr: &out, Getenv: env}, input.ConfigOf(env))
	a.Width = say.FullWidth
	return a, &out
}

// try runs the program in this process and returns what it printed.
func try(t *testing.T, stdin string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = run(t.Context(), say.Process{
		Args: args, Stdin: strings.NewReader(stdin), Stdout: &out, Stderr: &errs,
		Getenv: func(string) string { return "" },
	})
	return code, out.String(), errs.String()
}

func requireNarrow(t *testing.T, out string) {
	t.Helper()
	for l := range strings.SplitSeq(out, "\n") {
		require.LessOrEqual(t, text.Width(l), say.FullWidth, "%s", l)
	}
}

func TestHelp(t *testing.T) {
	for _, lang := range []string{"en", "zh"} {
		commands := []string{""}
		a, _ := inTest()
		for _, c := range rootCommand(a).Commands() {
			if c.Hidden {
				continue
			}
			commands = append(commands, c.Name())
			for _, sub := range c.Commands() {
				commands = append(commands, c.Name()+" "+sub.Name())
			}
		}
		var page strings.Builder
		for _, name := range commands {
			args := []string{"--lang", lang, "--help"}
			if name != "" {
				args = append(strings.Fields(name), args...)
			}
			code, out, errs := try(t, "", args...)
			require.Zero(t, code)
			require.Empty(t, errs)
			page.WriteString("$ memtree " + strings.TrimSpace(name+" --help") + "\n" + out + "\n")
		}
		requireNarrow(t, page.String())
		golden.Equal(t, "testdata/help."+lang+".golden", page.String())
	}
}

func TestNotUnderstood(t *testing.T) {
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"recrod", "x"}, "did you mean record?"},
		{[]string{"sing"}, `there is no command "sing"`},
		{[]string{"lable", "--csv", "x"}, `there is no command "lable"; did you mean label?`},
		{[]string{"token", "lst"}, `there is no command "token lst"; did you mean list?`},
		{[]string{"record"}, "record takes one file or more"},
		{[]string{"guide"}, "say what the agent will be asked"},
		{[]string{"guide", "--prompt", "  "}, "the prompt is empty"},
		{[]string{"guide", "check", "this"}, "the prompt goes after --prompt"},
		{[]string{"guide", "--prompt", "x", "--position", "3"}, "--position is 3"},
		{[]string{"guide", "--prompt"}, "--prompt needs a value"},
		{[]string{"tree", "--limit", "many"}, `--limit is "many"; it takes a whole number`},
		{[]string{"tree", "--limit", "-1"}, "--limit is -1"},
		{[]string{"tree", "--direction", "up"}, `--direction is "up"`},
		{[]string{"tree", "--level", "4"}, `--level is "4"`},
		{[]string{"tree", "--colour"}, "there is no flag --colour"},
		{[]string{"tree", "-q"}, "there is no flag -q"},
		{[]string{"stats", "--lang", "fr"}, `--lang is "fr"; use zh or en`},
		{[]string{"stats", "--store", ""}, "--store is empty"},
		{[]string{"init", "--read-only"}, "leave --read-only out"},
		{[]string{"show"}, "show takes the id of a memory"},
		{[]string{"completion", "tcsh"}, "use bash, zsh, fish or powershell"},
	} {
		code, out, errs := try(t, "", c.args...)
		require.Equal(t, exitUsage, code, "%v: %s", c.args, errs)
		require.Empty(t, out, "%v", c.args)
		require.Contains(t, strings.ReplaceAll(errs, "\n", " "), c.says, "%v", c.args)
	}
}

func TestCompletion(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		code, out, errs := try(t, "", "completion", shell)
		require.Zero(t, code, errs)
		require.Contains(t, out, "memtree")
	}
	_, out, _ := try(t, "", "__complete", "tree", "--type", "form")
	require.Contains(t, out, "form_validation_error\t")
	_, out, _ = try(t, "", "__complete", "guide", "--scene-type", "")
	require.Contains(t, out, "login\t")
	_, out, _ = try(t, "", "__complete", "--lang", "")
	require.Contains(t, out, "zh\n")
}
