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

// Replay answers from files that [Record] wrote: one per request, named by
// [Key] with the end .json. A request that was not recorded fails, naming the
// file that is missing.
type Replay struct{ Dir fs.FS }

// recording is the content of a file.
type recording struct {
	Name   string          `json:"name"` // which prompt it was, for people
	Model  string          `json:"model"`
	Usage  llm.Usage       `json:"usage"`
	Answer json.RawMessage `json:"answer"`
}

// Key is a hash of what the model is shown: system, prompt, schema and the bound
// on the answer, 32 hex digits.
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
	return answer(rec.Model, string(rec.Answer), rec.Usage, r.Schema)
}

// Record passes requests on and keeps the answers in Dir, which must exist, for
// [Replay]. Failures are not kept.
type Record struct {
	Generator llm.Generator
	Dir       string
}

// Generate asks the generator behind and writes the answer down.
func (p Record) Generate(ctx context.Context, r llm.Request) (llm.Answer, error) {
	a, err := p.Generator.Generate(ctx, r)
	if err != nil {
		return a, err
	}
	b, err := json.MarshalIndent(recording{Name: r.Name, Model: a.Model, Usage: a.Usage, Answer: a.JSON}, "", "  ")
	if err != nil {
		return a, fmt.Errorf("record %s: %w", r.Name, err)
	}
	// Written beside and renamed: two calls with the same request may meet here.
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
