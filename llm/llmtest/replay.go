package llmtest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/memtree/memtree/llm"
)

// Replay answers from files that [Record] wrote, one per request. The name of a file
// is the [Key] of the request and .json. A request without a file fails with an error
// that names the file.
type Replay struct{ Dir fs.FS }

// recording is the content of such a file.
type recording struct {
	Name   string          `json:"name"` // of the prompt, for people
	Model  string          `json:"model"`
	Usage  llm.Usage       `json:"usage"`
	Answer json.RawMessage `json:"answer"`
}

// Key returns a hash of what the model gets: system, prompt, schema and the limit on
// the answer, as 32 hex digits.
func Key(r llm.Request) string {
	h := sha256.New()
	for _, part := range []string{r.System, r.Prompt, string(r.Schema), fmt.Sprint(r.MaxTokens)} {
		fmt.Fprintf(h, "%d:%s", len(part), part)
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// Generate answers from the file of the request.
func (p Replay) Generate(ctx context.Context, r llm.Request) (llm.Answer, error) {
	if err := ctx.Err(); err != nil {
		return llm.Answer{}, &llm.Error{Kind: llm.KindCancelled, Err: err}
	}
	name := Key(r) + ".json"
	b, err := fs.ReadFile(p.Dir, name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return llm.Answer{}, &llm.Error{Kind: llm.KindNotFound, Err: fmt.Errorf("%s was not recorded: %w", r.Name, err)}
	case err != nil:
		return llm.Answer{}, &llm.Error{Kind: llm.KindUnavailable, Err: err}
	}
	var rec recording
	if err := json.Unmarshal(b, &rec); err != nil {
		return llm.Answer{}, &llm.Error{Kind: llm.KindMalformed, Err: fmt.Errorf("read recording %s: %w", name, err)}
	}
	return decodeAnswer(rec.Model, string(rec.Answer), rec.Usage, r.Schema)
}

// Record passes requests on and writes the answers to Dir, which must exist, for
// [Replay]. It does not write failures.
type Record struct {
	Generator llm.Generator
	Dir       string
}

// Generate passes the request on and writes the answer to its file.
func (p Record) Generate(ctx context.Context, r llm.Request) (llm.Answer, error) {
	a, err := p.Generator.Generate(ctx, r)
	if err != nil {
		return a, err
	}
	b, err := json.MarshalIndent(recording{Name: r.Name, Model: a.Model, Usage: a.Usage, Answer: a.JSON}, "", "  ")
	if err != nil {
		return a, fmt.Errorf("record %s: %w", r.Name, err)
	}
	// The file is renamed into place, since two calls with the same request may write it at once.
	f, err := os.CreateTemp(p.Dir, "*.tmp")
	if err != nil {
		return a, fmt.Errorf("record %s: %w", r.Name, err)
	}
	_, err = f.Write(append(b, '\n'))
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), filepath.Join(p.Dir, Key(r)+".json"))
	}
	if err != nil {
		return a, errors.Join(fmt.Errorf("record %s: %w", r.Name, err), os.Remove(f.Name()))
	}
	return a, nil
}
