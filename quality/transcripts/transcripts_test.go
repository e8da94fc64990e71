// Package transcripts measures what the compaction of a transcript keeps, on real ones.
package transcripts

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/enhance"
	"github.com/memtree/memtree/internal/golden"
	"github.com/memtree/memtree/run"
)

// recorded is a run of the data, as far as it is a transcript.
type recorded struct {
	ID          string `json:"id"`
	Prompt      string `json:"prompt"`
	Observation string `json:"observation"`
	Judgment    struct {
		Message string `json:"message"`
		Actions []struct {
			Name   string          `json:"name"`
			Kwargs json.RawMessage `json:"kwargs"`
		} `json:"actions"`
	} `json:"judgment"`
}

// label is a part of a message that a reader called an error, a finding or a decision: its place in bytes. The parts
// "written with" were read before the rules or while they were written, those "unseen" afterwards.
type label struct {
	ID      string `json:"id"`
	Part    string `json:"part"`
	Message int    `json:"message"`
	Kind    string `json:"kind"`
	At      int    `json:"at"`
	Bytes   int    `json:"bytes"`
}

func load(t *testing.T, name string) (out []recorded) {
	dir := os.Getenv("MEMTREE_SHARED")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "shared")
	}
	b, err := os.ReadFile(filepath.Join(dir, "data", "evaluations", name))
	if os.IsNotExist(err) {
		t.Skip("the transcripts are not here: set MEMTREE_SHARED to the folder that has data/ in it")
	}
	require.NoError(t, err)
	seen := map[string]bool{}
	for s := bufio.NewScanner(bytes.NewReader(b)); s.Scan(); {
		var r recorded
		require.NoError(t, json.Unmarshal(s.Bytes(), &r))
		_, of, _ := strings.Cut(r.ID, "|") // several judges saw one run
		if r.Observation != "" && !seen[of] {
			seen[of] = true
			out = append(out, r)
		}
	}
	slices.SortFunc(out, func(a, b recorded) int { return strings.Compare(hash(a.ID), hash(b.ID)) })
	return out
}

func hash(s string) string { sum := sha256.Sum256([]byte(s)); return hex.EncodeToString(sum[:]) }

var step = regexp.MustCompile(`(?m)^\d+\. `)

// messages makes a transcript of a run: the task, and each step or call of a tool.
func (r *recorded) messages() (out []run.Message) {
	add := func(role, s string) {
		if s = strings.TrimSpace(s); s != "" {
			out = append(out, run.Message{Role: role, Text: s})
		}
	}
	if strings.HasPrefix(r.ID, "tau|") {
		out = append(out, run.Message{Role: "user", Text: r.Prompt})
		for name := range strings.SplitSeq(strings.TrimPrefix(r.Observation, "Tools called:"), ">") {
			add("tool", name)
		}
		for _, a := range r.Judgment.Actions {
			add("assistant", "call "+a.Name+" "+string(a.Kwargs))
		}
		if r.Judgment.Message != "" {
			out = append(out, run.Message{Role: "assistant", Text: r.Judgment.Message})
		}
		return out
	}
	out = append(out, run.Message{Role: "system", Text: r.Prompt})
	task, steps, _ := strings.Cut(r.Observation, "Last steps:")
	add("user", task)
	from := 0
	for _, at := range step.FindAllStringIndex(steps, -1) {
		add("assistant", steps[from:at[0]])
		from = at[0]
	}
	add("assistant", steps[from:])
	return out
}

// TestCompaction compacts 200 real transcripts, one by one and as 20 sessions of ten, to shares of their size, and
// counts the labelled parts that are still there. Budgets are never passed.
func TestCompaction(t *testing.T) {
	tau, web := load(t, "tau.jsonl"), load(t, "webjudge.jsonl")
	list := slices.Concat(web[:120], tau[:80])
	b, err := os.ReadFile(filepath.Join("testdata", "labels.jsonl"))
	require.NoError(t, err)
	labels := map[string][]label{}
	for line := range strings.Lines(string(b)) {
		var l label
		require.NoError(t, json.Unmarshal([]byte(line), &l))
		labels[l.ID] = append(labels[l.ID], l)
	}
	var out strings.Builder
	fmt.Fprintf(&out, "%-40s %7s %10s %10s %10s\n", "", "budget", "error", "finding", "decision")
	for _, part := range []string{"written with", "unseen"} {
		for _, share := range []float64{.7, .5, .35} {
			for _, size := range []int{1, 10} {
				kept, all := map[string]int{}, map[string]int{}
				for from := 0; from < len(list); from += size {
					measure(t, list[from:from+size], labels, part, share, kept, all)
				}
				what := map[int]string{1: "200 transcripts", 10: "20 sessions of ten"}[size]
				fmt.Fprintf(&out, "%-40s %6.0f%%", what+", labels "+part, share*100)
				for _, kind := range []string{"error", "finding", "decision"} {
					fmt.Fprintf(&out, " %5d/%-4d", kept[kind], all[kind])
				}
				out.WriteByte('\n')
			}
		}
	}
	golden.Equal(t, "testdata/transcripts.golden", out.String())
}

// measure compacts several runs as one transcript to a share of its size.
func measure(
	t *testing.T, runs []recorded, labels map[string][]label, part string, share float64, kept, all map[string]int,
) {
	var messages []run.Message
	want := map[string][]string{}
	for i := range runs {
		of := runs[i].messages()
		for _, l := range labels[runs[i].ID] {
			if l.Part == part {
				want[l.Kind] = append(want[l.Kind], of[l.Message].Text[l.At:l.At+l.Bytes])
			}
		}
		if i > 0 { // a session has one system message
			of[0].Role = "user"
		}
		messages = append(messages, of...)
	}
	total := 0
	for _, m := range messages {
		total += enhance.Tokens(m.Text) + 4
	}
	o := run.CompactOptions{Budget: int(float64(total) * share), Last: 1}
	out, did := run.Compact(messages, o)
	size := 0
	var left strings.Builder
	for _, m := range out {
		size += enhance.Tokens(m.Text) + 4
		left.WriteString(strings.Join(strings.Fields(m.Text), " ") + "\n")
	}
	require.Equal(t, did.After, size)
	require.LessOrEqual(t, size, o.Budget, runs[0].ID)
	for kind, list := range want {
		for _, s := range list {
			all[kind]++
			if strings.Contains(left.String(), strings.Join(strings.Fields(s), " ")) {
				kept[kind]++
			}
		}
	}
}
