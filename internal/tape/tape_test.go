package tape_test

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/memtree/memtree/internal/tape"
	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/llm/llmtest"
)

const canary = "sk-canary-0123456789"

func scrub(s string) string { return strings.ReplaceAll(s, canary, "[key]") }

func asIs(s string) string { return s }

var ask = llm.Request{Name: "analyse.en@1", System: "s", Prompt: "p", MaxTokens: 9,
	Schema: json.RawMessage(`{"type":"object","required":["why"],"properties":{"why":{"type":"string","maxLength":20}}}`)}

// taped records the answer of a script, and returns it, its replay, and the file.
func taped(t *testing.T, step llmtest.ScriptStep) (live, played llm.Answer, file string, liveErr, playedErr error) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "a", "tapes")
	r, err := tape.NewRecorder(llmtest.NewScript(step), dir, "m", scrub)
	require.NoError(t, err)
	live, liveErr = r.Generate(t.Context(), ask)
	_, err = r.Recorded()
	require.NoError(t, err)
	path := filepath.Join(dir, tape.Key(ask)+".json")
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return live, played, "", liveErr, playedErr
	}
	require.NoError(t, err)
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, fs.FileMode(0o600), info.Mode().Perm())
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, entries, 1, "nothing temporary is left")
	p, err := tape.Open(dir)
	require.NoError(t, err)
	played, playedErr = p.Generate(t.Context(), ask)
	return live, played, string(b), liveErr, playedErr
}

func TestRecordAndPlay(t *testing.T) {
	used := llm.Usage{InputTokens: 7, OutputTokens: 3}
	for name, c := range map[string]struct {
		step llmtest.ScriptStep
		kind llm.ErrorKind
		says string // in the file
	}{
		"an answer":      {llmtest.ScriptStep{Text: `{"why":"so & <b>"}`, Usage: used}, "", `"so & <b>"`},
		"prose":          {llmtest.ScriptStep{Text: "I cannot tell.", Usage: used}, llm.KindMalformed, "I cannot tell."},
		"the wrong form": {llmtest.ScriptStep{Text: `{"why":7}`, Usage: used}, llm.KindMalformed, `{\"why\":7}`},
		"a refusal": {llmtest.ScriptStep{Err: &llm.Error{Kind: llm.KindRefused, Usage: used}}, llm.KindRefused,
			"refused"},
		"cut off": {llmtest.ScriptStep{Err: &llm.Error{Kind: llm.KindTruncated, Usage: used}}, llm.KindTruncated,
			"truncated"},
		"malformed, with no text": {llmtest.ScriptStep{Err: &llm.Error{Kind: llm.KindMalformed, Usage: used}},
			llm.KindMalformed, "malformed"},
	} {
		t.Run(name, func(t *testing.T) {
			live, played, file, liveErr, playedErr := taped(t, c.step)
			require.Contains(t, file, c.says)
			require.NotContains(t, file, `"p"`, "the prompt is not recorded")
			require.Equal(t, live, played)
			require.Equal(t, c.kind, llm.KindOf(liveErr))
			require.Equal(t, c.kind, llm.KindOf(playedErr))
			if c.kind == llm.KindMalformed {
				require.Equal(t, liveErr, playedErr, "the repair is asked in the same words")
			}
			if e, failed := errors.AsType[*llm.Error](playedErr); failed {
				require.Equal(t, used, e.Usage)
			}
		})
	}
}

func TestProvidersFailuresAreNotRecorded(t *testing.T) {
	for _, k := range []llm.ErrorKind{
		llm.KindRateLimited, llm.KindUnauthorised, llm.KindNotFound, llm.KindUnavailable, llm.KindTimeout,
		llm.KindCancelled, llm.KindBound, llm.KindNoAnswer, llm.KindTooLarge, llm.KindBadRequest, llm.KindNotSet,
	} {
		_, _, file, err, _ := taped(t, llmtest.ScriptStep{Err: &llm.Error{Kind: k}})
		require.Equal(t, k, llm.KindOf(err))
		require.Empty(t, file, k)
	}
	_, _, file, err, _ := taped(t, llmtest.ScriptStep{Err: errors.New("boom")})
	require.EqualError(t, err, "boom")
	require.Empty(t, file)
}

func TestSecretsAreNotRecorded(t *testing.T) {
	for _, written := range []string{
		`{"why":"` + canary + `"}`, `{"why":"a","` + canary + `":["` + canary + `"]}`,
		"the key is " + canary, `{"why":7,"x":"` + canary + `"}`,
	} {
		live, played, file, liveErr, playedErr := taped(t, llmtest.ScriptStep{Text: written})
		require.NotContains(t, file, canary)
		require.Contains(t, file, "[key]")
		require.Equal(t, live, played, "the words of a recording go on in both ways")
		require.Equal(t, liveErr, playedErr)
		require.NotContains(t, string(live.JSON), canary)
	}
	// An answer that does not fit without its secret is malformed both times.
	long := func(s string) string { return strings.ReplaceAll(s, "x", "a marker longer than allowed") }
	dir := t.TempDir()
	r, err := tape.NewRecorder(llmtest.NewScript(llmtest.ScriptStep{Text: `{"why":"x"}`}), dir, "m", long)
	require.NoError(t, err)
	_, err = r.Generate(t.Context(), ask)
	require.Equal(t, llm.KindMalformed, llm.KindOf(err))
	p, err := tape.Open(dir)
	require.NoError(t, err)
	_, err = p.Generate(t.Context(), ask)
	require.Equal(t, llm.KindMalformed, llm.KindOf(err))
}

func TestPlayKnowsARequestByWhatTheModelGets(t *testing.T) {
	dir := t.TempDir()
	r, err := tape.NewRecorder(llmtest.Echo{}, dir, "m", asIs)
	require.NoError(t, err)
	q := llm.Request{Name: "analyse.en@1", System: "s", Prompt: "p"}
	want, err := r.Generate(t.Context(), q)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "README.md"), []byte("other files may lie here"), 0o600))
	p, err := tape.Open(dir)
	require.NoError(t, err)
	answers, vectors := p.Len()
	require.Equal(t, 1, answers)
	require.Zero(t, vectors)
	require.Equal(t, []string{"echo"}, p.Models())
	q.Name = "analyse.en@2"
	got, err := p.Generate(t.Context(), q)
	require.NoError(t, err, "the name is not shown to the model")
	require.Equal(t, want, got)

	n, _, first := p.Missing()
	require.Zero(t, n)
	require.Empty(t, first)
	for _, other := range []llm.Request{
		{Name: "a", System: "sp"}, {Prompt: "sp"}, {System: "s", Prompt: "p", MaxTokens: 1},
		{System: "s", Prompt: "p", Schema: json.RawMessage(`{}`)},
	} {
		_, err = p.Generate(t.Context(), other)
		require.ErrorContains(t, err, filepath.Join(dir, tape.Key(other)+".json"))
		require.ErrorContains(t, err, other.Name+" was not recorded")
		e, ok := errors.AsType[*llm.Error](err)
		require.True(t, ok)
		require.Equal(t, llm.KindNotRecorded, e.Kind)
		require.False(t, e.Retryable() || e.Lasting() || llm.Answered(err), "it settles nothing and is not asked in a loop")
	}
	n, _, first = p.Missing()
	require.Equal(t, 4, n)
	require.NotEmpty(t, first)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = p.Generate(ctx, q)
	require.Equal(t, llm.KindCancelled, llm.KindOf(err))
}

func TestFoldersThatCannotBeUsed(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	require.NoError(t, os.WriteFile(file, []byte("x"), 0o600))
	_, err := tape.NewRecorder(llmtest.Echo{}, file, "m", asIs)
	requireProblem(t, err, tape.IsFile)
	_, err = tape.NewRecorder(llmtest.Echo{}, filepath.Join(file, "below"), "m", asIs)
	requireProblem(t, err, tape.NotWritable)
	_, err = tape.Open(file)
	requireProblem(t, err, tape.IsFile)
	_, err = tape.Open(filepath.Join(dir, "none"))
	requireProblem(t, err, tape.IsMissing)
	_, err = tape.Open(dir)
	requireProblem(t, err, tape.IsEmpty)
	if os.Geteuid() != 0 {
		locked := filepath.Join(dir, "locked")
		require.NoError(t, os.Mkdir(locked, 0o500))
		_, err = tape.NewRecorder(llmtest.Echo{}, locked, "m", asIs)
		requireProblem(t, err, tape.NotWritable)
	}
	key := filepath.Join(dir, strings.Repeat("0", 32)+".json")
	for _, content := range []string{
		"", "{", `{"format":2}`,
		`{"format":1,"name":"n","model":"m","usage":{},"answer":{},"failure":"refused"}`,
		`{"format":1,"name":"n","model":"m","usage":{"inputTokens":-1},"answer":{}}`,
		`{"format":1,"name":"n","model":"m","usage":{},"failure":"timeout"}`,
		`{"format":1,"name":"n","model":"m","usage":{}}`,
		`{"format":1,"name":"n\u001b","model":"m","usage":{},"answer":{}}`,
		`{"format":1,"name":"n","usage":{},"answer":{}}`,
		`{"format":1,"name":"n","model":"m","usage":{},"answer":{}} x`,
		`{"format":1,"name":"n","model":"m","usage":{},"answer":{},"x":1}`,
		"{\"format\":1,\"name\":\"\xff\"}",
		`{"format":1,"name":"n","model":"m","usage":{},"failure":"refused","text":"x"}`,
	} {
		require.NoError(t, os.WriteFile(key, []byte(content), 0o600))
		_, err = tape.Open(dir)
		requireProblem(t, err, tape.IsBroken)
		require.ErrorContains(t, err, key)
	}
	require.NoError(t, os.Truncate(key, 9<<20))
	_, err = tape.Open(dir)
	requireProblem(t, err, tape.IsBroken)
	require.NoError(t, os.Remove(key))
	require.NoError(t, os.Mkdir(key, 0o700))
	_, err = tape.Open(dir)
	requireProblem(t, err, tape.IsBroken)
}

func requireProblem(t *testing.T, err error, want tape.FolderProblem) {
	t.Helper()
	e, ok := errors.AsType[*tape.FolderError](err)
	require.True(t, ok, "%v", err)
	require.Equal(t, want, e.Problem, "%v", err)
}

// TestHostileRecording: the answer in a file is checked against the schema of the request.
func TestHostileRecording(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, tape.Key(ask)+".json"),
		[]byte(`{"format":1,"name":"n","model":"m","usage":{},`+
			`"answer":{"why":"longer than the schema allows it to be"}}`), 0o600))
	p, err := tape.Open(dir)
	require.NoError(t, err)
	_, err = p.Generate(t.Context(), ask)
	require.Equal(t, llm.KindMalformed, llm.KindOf(err))
}

// TestAnswersOutliveTheirFolder: an answer that cannot be recorded is returned, and the error is reported.
func TestAnswersOutliveTheirFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "gone")
	r, err := tape.NewRecorder(llmtest.Echo{}, dir, "m", asIs)
	require.NoError(t, err)
	require.NoError(t, os.Remove(dir))
	_, err = r.Generate(t.Context(), llm.Request{Name: "n@1", Prompt: "p"})
	require.NoError(t, err)
	n, err := r.Recorded()
	require.Zero(t, n)
	require.ErrorContains(t, err, "record n@1")
}

func TestRecordingAtOnce(t *testing.T) {
	dir := t.TempDir()
	r, err := tape.NewRecorder(llmtest.Echo{}, dir, "m", asIs)
	require.NoError(t, err)
	var g errgroup.Group
	for i := range 64 {
		g.Go(func() error {
			_, err := r.Generate(t.Context(), llm.Request{Name: "n", Prompt: string(rune('a' + i%4))})
			return err
		})
	}
	require.NoError(t, g.Wait())
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, entries, 4)
	p, err := tape.Open(dir)
	require.NoError(t, err)
	q, err := tape.Open(dir)
	require.NoError(t, err)
	require.Equal(t, p.ID(), q.ID())
}
