package memtree_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// skill is what agents read that use memtree by its commands.
const skill = "skills/memtree/SKILL.md"

// fences returns the blocks of a page in the given language.
func fences(t *testing.T, page, lang string) []string {
	t.Helper()
	b, err := os.ReadFile(page) //nolint:gosec // a page of ours
	require.NoError(t, err)
	require.LessOrEqual(t, strings.Count(string(b), "\n"), 150, "%s is to stay short", page)
	var blocks []string
	for _, part := range strings.Split(string(b), "```"+lang+"\n")[1:] {
		body, _, closed := strings.Cut(part, "```")
		require.True(t, closed, "a block of %s does not end", page)
		blocks = append(blocks, body)
	}
	return blocks
}

// TestReadmeTranscript runs the commands of the README's transcripts.
func TestReadmeTranscript(t *testing.T) { runTranscripts(t, "README.md", "true") }

// TestSkillTranscript runs the commands of the skill on a store with a few runs.
func TestSkillTranscript(t *testing.T) {
	runTranscripts(t, skill, "memtree init && memtree record fixtures/shop.jsonl")
	b, err := os.ReadFile(skill)
	require.NoError(t, err)
	head := regexp.MustCompile(`^---\nname: memtree\ndescription: (.+)\n---\n`).FindStringSubmatch(string(b))
	require.Len(t, head, 2, "%s begins with its name and description", skill)
	require.LessOrEqual(t, len(head[1]), 1024, "programs refuse a longer description")
}

// built is the program as it is now, built once for all tests of this package.
var built = sync.OnceValues(func() (string, error) {
	var err error
	if builtIn, err = os.MkdirTemp("", "memtree"); err != nil {
		return "", err
	}
	bin := filepath.Join(builtIn, "memtree")
	if out, err := exec.Command("go", "build", "-o", bin, "./cmd/memtree").CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return bin, nil
})

var builtIn string // the folder of built; removed by TestMain

// program returns the path of the built program.
func program(t *testing.T) string {
	t.Helper()
	bin, err := built()
	require.NoError(t, err)
	return bin
}

// runTranscripts runs the commands of a page's transcripts after a first one, in a folder with the fixtures, and
// compares the output. A line of "…" matches any number of lines.
func runTranscripts(t *testing.T, page, first string) {
	t.Helper()
	bin := program(t)
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(filepath.Join(dir, "fixtures"), os.DirFS("fixtures")))
	ran := 0
	for _, block := range append([]string{"$ " + first + "\n…\n"}, fences(t, page, "console")...) {
		for _, step := range strings.Split("\n"+block, "\n$ ")[1:] {
			command, want, _ := strings.Cut(step, "\n")
			for strings.HasSuffix(command, "\\") {
				more, rest, _ := strings.Cut(want, "\n")
				command, want = strings.TrimSuffix(command, "\\")+more, rest
			}
			cmd := exec.CommandContext(t.Context(), "sh", "-c", command)
			cmd.Dir = dir
			cmd.Env = append(os.Environ(), "PATH="+filepath.Dir(bin)+":"+os.Getenv("PATH"), "LANG=C.UTF-8", "NO_COLOR=1",
				"COLUMNS=80",
				"MEMTREE_LLM_MODEL=", "MIDSCENE_MODEL_NAME=", "OPENAI_API_KEY=")
			var got bytes.Buffer
			cmd.Stdout, cmd.Stderr = &got, &got
			err := cmd.Run()
			require.NoError(t, err, "%s\n%s", command, got.String())
			requireLines(t, command, want, got.String())
			ran++
		}
	}
	require.GreaterOrEqual(t, ran, 4, "%s shows what using memtree looks like", page)
}

func requireLines(t *testing.T, command, want, got string) {
	t.Helper()
	pattern := "^"
	for line := range strings.SplitSeq(strings.TrimSpace(want), "\n") {
		if line == "…" {
			pattern += `(?:.*\n)*`
		} else {
			pattern += regexp.QuoteMeta(line) + `\n`
		}
	}
	require.Regexp(t, pattern+"$", strings.TrimSpace(got)+"\n", "%s: the page says\n%s\nand it printed\n%s", command,
		want, got)
}

// TestReadmeCommands compares the README's set-up commands with the Makefile. It runs those that
// are not this test run itself.
func TestReadmeCommands(t *testing.T) {
	b, err := os.ReadFile("README.md")
	require.NoError(t, err)
	for _, target := range []string{"demo", "test"} {
		require.Contains(t, string(b), "make "+target)
		out, err := exec.CommandContext(t.Context(), "make", "-n", target).CombinedOutput()
		require.NoError(t, err, string(out))
	}
	out, err := exec.CommandContext(t.Context(), "make", "demo").CombinedOutput()
	require.NoError(t, err, string(out))
	require.Contains(t, string(out), "memtree record", "the demo says what to type next")
}

// TestReadmeSample compares the README's Go sample with the example, which is run as a test.
func TestReadmeSample(t *testing.T) {
	b, err := os.ReadFile("example_test.go")
	require.NoError(t, err)
	squeeze := func(s string) string { return strings.Join(strings.Fields(s), " ") }
	for _, sample := range fences(t, "README.md", "go") {
		for line := range strings.Lines(sample) {
			if line = squeeze(line); line != "" {
				require.Contains(t, squeeze(string(b)), line, "the README's sample is not the example that runs")
			}
		}
	}
}
