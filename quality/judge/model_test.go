package judge

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// model is a judge behind a server, with its answers so far.
type model struct {
	url     string
	about   string // the model and the data, for the record
	head    string // the beginning of every prompt: the examples
	turn    string // one question, with {page}, {task} and {memory}
	nothing string // a neutral memory
	answers map[string]float64
	kept    *os.File
	fresh   int // answers of this run
}

// answer is one line of the file of answers.
type answer struct {
	Prompt string  `json:"h"` // the beginning of its hash
	Score  float64 `json:"s"`
}

// openModel reads the judge's prompt from the scripts of the data, so that the figures can be compared with theirs,
// and the earlier answers.
func openModel(t *testing.T, url, dir string) *model {
	file := os.Getenv("MEMTREE_JUDGE_MODEL")
	require.NotEmpty(t, file, "set MEMTREE_JUDGE_MODEL to the file the server loaded: its hash goes into the record")
	m := &model{url: strings.TrimRight(url, "/"), answers: map[string]float64{}}
	hash := sum(t, file)
	m.about = "model sha256 " + hash + "\ntests sha256 " + sum(t, filepath.Join(dir, "items.json"))
	m.readPrompt(t, dir)
	m.readAnswers(t, hash)
	return m
}

func sum(t *testing.T, path string) string {
	f, err := os.Open(filepath.Clean(path))
	require.NoError(t, err)
	defer f.Close()
	h := sha256.New()
	_, err = io.Copy(h, f)
	require.NoError(t, err)
	return hex.EncodeToString(h.Sum(nil))
}

func (m *model) readPrompt(t *testing.T, dir string) {
	const script = `import json, stream as s, reword as r
head = s.HEAD + "".join(s.user(page, task, "") + letter + "<|im_end|>\n" for page, task, letter in s.EX)
print(json.dumps({"head": head, "turn": s.user("{page}", "{task}", "{memory}"), "nothing": r.PLACEBO}))`
	c := exec.CommandContext(t.Context(), "python3", "-B", "-c", script)
	c.Dir, c.Stderr = dir, t.Output()
	b, err := c.Output()
	require.NoError(t, err, "the judge's prompt is read from stream.py and reword.py in %s, which takes python3", dir)
	var p struct{ Head, Turn, Nothing string }
	require.NoError(t, json.Unmarshal(b, &p))
	m.head, m.turn, m.nothing = p.Head, p.Turn, p.Nothing
}

// readAnswers reads the file of answers. No prompt is sent twice, so an interrupted measurement continues where it
// stopped.
func (m *model) readAnswers(t *testing.T, hash string) {
	path := os.Getenv("MEMTREE_JUDGE_ANSWERS")
	if path == "" {
		cache, err := os.UserCacheDir()
		require.NoError(t, err, "set MEMTREE_JUDGE_ANSWERS to a file for the answers")
		path = filepath.Join(cache, "memtree", "judge-"+hash[:12]+".jsonl")
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o750))
	}
	b, err := os.ReadFile(filepath.Clean(path))
	if !errors.Is(err, fs.ErrNotExist) {
		require.NoError(t, err)
	}
	for lines := bufio.NewScanner(bytes.NewReader(b)); lines.Scan(); {
		var a answer
		if json.Unmarshal(lines.Bytes(), &a) == nil { // a line that a kill truncated is requested again
			m.answers[a.Prompt] = a.Score
		}
	}
	m.kept, err = os.OpenFile(filepath.Clean(path), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, m.kept.Close()) })
	if n := len(b); n > 0 && b[n-1] != '\n' {
		_, err = m.kept.WriteString("\n")
		require.NoError(t, err)
	}
	fmt.Fprintf(t.Output(), "%d answers in %s\n", len(m.answers), path)
}

// score returns the log-odds of "there is a defect" on a build of x, with text after the task.
func (m *model) score(t *testing.T, x mistake, build int, text string) float64 {
	if text != "" {
		text += "\n\n"
	}
	prompt := m.head + strings.NewReplacer("{page}", x.builds[build].seen, "{task}", x.Prompt, "{memory}",
		text).Replace(m.turn)
	h := sha256.Sum256([]byte(prompt))
	a := answer{Prompt: hex.EncodeToString(h[:12])}
	if s, known := m.answers[a.Prompt]; known {
		return s
	}
	a.Score = m.ask(t, fmt.Sprint(x.ID, " ", build), prompt)
	b, err := json.Marshal(a)
	require.NoError(t, err)
	_, err = m.kept.Write(append(b, '\n'))
	require.NoError(t, err)
	m.answers[a.Prompt] = a.Score
	m.fresh++
	return a.Score
}

// ask sends a prompt to the model and returns the log-odds of B against A as the next token. The server caches its
// state under key, and the common head for all keys.
func (m *model) ask(t *testing.T, key, prompt string) float64 {
	body := raw(t, map[string]any{"key": key, "head": m.head, "prompt": prompt, "words": []string{"B", "A"}})
	c := http.Client{Timeout: 15 * time.Minute}
	r, err := c.Post(m.url+"/judge", "application/json", bytes.NewReader(body))
	require.NoError(t, err, "no judge at %s: docs/judge.md says how to start one", m.url)
	defer r.Body.Close()
	b, err := io.ReadAll(r.Body)
	require.NoError(t, err)
	var got struct{ P []float64 }
	require.NoError(t, json.Unmarshal(b, &got), "the judge answered %s", b)
	require.Len(t, got.P, 2, "the judge answered %s", b)
	const least = 1e-9 // the probability of a token that the model does not list
	return math.Log(got.P[0]+least) - math.Log(got.P[1]+least)
}
