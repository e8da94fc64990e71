package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/stretchr/testify/require"
)

const actionFolder = "../../deploy/action"

// action is the tested part of an action.yml.
type action struct {
	Inputs map[string]struct {
		Default string `yaml:"default"`
	} `yaml:"inputs"`
	Runs struct {
		Steps []struct {
			Run   string            `yaml:"run"`
			Shell string            `yaml:"shell"`
			Uses  string            `yaml:"uses"`
			Env   map[string]string `yaml:"env"`
		} `yaml:"steps"`
	} `yaml:"runs"`
}

func readAction(t *testing.T) action {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(actionFolder, "action.yml"))
	require.NoError(t, err)
	var a action
	require.NoError(t, yaml.Unmarshal(b, &a))
	return a
}

// TestActionScripts: inputs reach a script only through the environment.
func TestActionScripts(t *testing.T) {
	scripts := 0
	for _, s := range readAction(t).Runs.Steps {
		require.NotContains(t, s.Run, "${{")
		if s.Run != "" {
			scripts++
			require.Equal(t, "bash", s.Shell)
		}
	}
	require.Equal(t, 1, scripts)
	b, err := os.ReadFile(filepath.Join(actionFolder, "run.sh"))
	require.NoError(t, err)
	require.NotContains(t, string(b), "${{")
	require.NotContains(t, string(b), "eval")
}

var expression = regexp.MustCompile(`\$\{\{ (inputs|github)\.([a-z_-]+) \}\}`)

// job is a job that runs the script steps of the action, in a folder of its own.
type job struct {
	t      *testing.T
	dir    string
	inputs map[string]string
}

func newJob(t *testing.T) *job {
	t.Helper()
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("there is no bash here")
	}
	dir := t.TempDir()
	program, err := os.Executable()
	require.NoError(t, err)
	require.NoError(t, os.Mkdir(filepath.Join(dir, "bin"), 0o750))
	require.NoError(t, os.Symlink(program, filepath.Join(dir, "bin", "memtree")))
	return &job{t, dir, map[string]string{}}
}

func (j *job) write(name, content string) {
	j.t.Helper()
	require.NoError(j.t, os.MkdirAll(filepath.Dir(filepath.Join(j.dir, name)), 0o750))
	require.NoError(j.t, os.WriteFile(filepath.Join(j.dir, name), []byte(content), 0o600))
}

// run runs the steps once, and returns the summary, the log, and whether the job continued.
func (j *job) run(id string) (summary, log string, ok bool) {
	j.t.Helper()
	folder, err := filepath.Abs(actionFolder)
	require.NoError(j.t, err)
	a, ok := readAction(j.t), true
	page := filepath.Join(j.dir, "summary-"+id+".md")
	for _, s := range a.Runs.Steps {
		if s.Run == "" {
			continue
		}
		c := exec.CommandContext(j.t.Context(), "bash", "-e", "-o", "pipefail", "-c",
			s.Run) //nolint:gosec // the action's own
		c.Dir = j.dir
		c.Env = []string{
			asMemtree + "=1", "PATH=" + filepath.Join(j.dir, "bin") + ":/usr/bin:/bin", "HOME=" + j.dir,
			"GITHUB_ACTIONS=true", "GITHUB_ACTION_PATH=" + folder, "GITHUB_STEP_SUMMARY=" + page,
			"GITHUB_OUTPUT=" + filepath.Join(j.dir, "output"), "RUNNER_TEMP=" + j.dir,
		}
		for name, value := range s.Env {
			c.Env = append(c.Env, name+"="+expression.ReplaceAllStringFunc(value, func(e string) string {
				m := expression.FindStringSubmatch(e)
				if m[1] == "github" {
					return id
				}
				in, known := a.Inputs[m[2]]
				require.True(j.t, known, "action.yml has no input %s", m[2])
				if given, ok := j.inputs[m[2]]; ok {
					return given
				}
				return in.Default
			}))
		}
		out, err := c.CombinedOutput()
		log += string(out)
		ok = ok && err == nil
	}
	b, err := os.ReadFile(page) //nolint:gosec // its own
	if err != nil {
		return "", log, ok
	}
	return string(b), log, ok
}

const junit = `<testsuite name="shop"><testcase classname="cart" name="total"/>` +
	`<testcase classname="cart" name="::error::x"><failure message="::set-output name=x::y"/></testcase></testsuite>`

// TestAction: reports of two kinds are recorded, the job has a summary, and the second summary is relative to the
// first.
func TestAction(t *testing.T) {
	j := newJob(t)
	j.write("results/a b.xml", junit)
	j.write("truth.csv", "id,truth\ncart › total,wrong\n")
	j.inputs["reports"] = "\n  junit results/*.xml \r\n\n"
	j.inputs["truth"] = "truth.csv"
	summary, log, ok := j.run("1")
	require.True(t, ok, log)
	require.NotContains(t, log, "::warning::", log)
	require.Contains(t, summary, "## Summary of this run by memtree")
	require.Contains(t, summary, "from 1 mistakes")
	require.Contains(t, summary, "wait for their truth: 1.", log)
	require.FileExists(t, filepath.Join(j.dir, ".memtree.seen.json"))

	j.inputs = map[string]string{"lang": "zh"}
	summary, log, ok = j.run("2")
	require.True(t, ok, log)
	require.Contains(t, summary, "没有新内容。在用的经验 0 条，来自 1 个误判。", log)
	b, err := os.ReadFile(filepath.Join(j.dir, "output"))
	require.NoError(t, err)
	require.Contains(t, string(b), "summary=")
}

// TestActionHostile: inputs are never run as code, and the job continues.
func TestActionHostile(t *testing.T) {
	for _, hostile := range []string{
		"$(touch pwned)", "`touch pwned`", "; touch pwned", "junit $(touch pwned)", "junit x; touch pwned", "--store pwned",
		"junit --help", "'\"", "junit *\ntouch pwned", "${IFS}touch${IFS}pwned", "a[$(touch pwned)]",
	} {
		j := newJob(t)
		for _, input := range []string{"reports", "truth", "lang", "above", "key", "version", "evolve"} {
			j.inputs[input] = hostile
		}
		_, log, ok := j.run("1")
		require.True(t, ok, "%q: %s", hostile, log)
		require.NoFileExists(t, filepath.Join(j.dir, "pwned"), hostile)
		require.NoDirExists(t, filepath.Join(j.dir, "pwned"), hostile)
	}
}

// TestActionFailsOpen: a missing program, an invalid store and an invalid report are warnings.
func TestActionFailsOpen(t *testing.T) {
	j := newJob(t)
	j.inputs["memtree"] = "nowhere"
	_, log, ok := j.run("1")
	require.True(t, ok, log)
	require.Contains(t, log, "::warning::memtree: the program is not there")

	j = newJob(t)
	j.write(".memtree", "a file")
	_, log, ok = j.run("1")
	require.True(t, ok, log)
	require.Contains(t, log, "::warning::")

	j = newJob(t)
	j.write("bad.xml", "::error::no XML")
	j.inputs["reports"] = "junit bad.xml\njunit missing/*.xml"
	summary, log, ok := j.run("1")
	require.True(t, ok, log)
	require.Contains(t, log, "::warning::memtree: a report was not taken in")
	require.Contains(t, log, "::warning::memtree: no report was found")
	require.Contains(t, summary, "Summary of this run")
	stopped := strings.Index(log, "::stop-commands::")
	require.True(t, stopped >= 0 && stopped < strings.Index(log, "::warning::"),
		"what a report says is no command: %s", log)
}

// TestActionFailsOn: it fails the job if fail-on requires it.
func TestActionFailsOn(t *testing.T) {
	j := newJob(t)
	j.inputs["fail-on"] = "risky"
	_, log, ok := j.run("1")
	require.True(t, ok, log)
	j.inputs["above"] = "0"
	var runs strings.Builder
	for i := range 60 {
		truth := `"pass"`
		if i%2 == 0 {
			truth = `"fail"`
		}
		page := strings.Trim(truth, `"`)
		runs.WriteString(`{"run_id":"old","case_id":"c` + string(rune('a'+i%26)) + strings.Repeat("x", i/26) +
			`","scene":{"route":"/` + page + `"},"prompt":"check the ` + page +
			` page","judgment":"pass","ground_truth":` + truth + "}\n")
	}
	j.write("old.jsonl", runs.String())
	program := filepath.Join(j.dir, "bin", "memtree")
	c := exec.CommandContext(t.Context(), program, "record", "old.jsonl") //nolint:gosec // its own
	c.Dir, c.Env = j.dir, []string{asMemtree + "=1", "HOME=" + j.dir}
	out, err := c.CombinedOutput()
	require.NoError(t, err, string(out))
	j.write("r.xml", `<testsuite name="shop">`+
		`<testcase classname="check the fail page" name="check the fail page"/></testsuite>`)
	j.inputs["reports"] = "junit r.xml"
	summary, log, ok := j.run("2")
	require.Contains(t, summary, "These are the likeliest to be wrong", log)
	require.False(t, ok, log)
}
