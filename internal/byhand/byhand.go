// Package byhand lets a person or an agent answer requests to a model by files. The requests are written to a file. The
// answers are read from another file later, and checked like those of a model.
//
// The package stores nothing in between. The same state of a memory produces the same requests, so an answer belongs to
// the request with its id, or to none.
package byhand

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/memtree/memtree/internal/tape"
	"github.com/memtree/memtree/llm"
)

// PendingRequest is a request to a model that waits for an answer.
type PendingRequest struct {
	ID     string          `json:"id"`   // hash of what a model would see
	Name   string          `json:"name"` // name of the prompt template
	System string          `json:"system"`
	Prompt string          `json:"prompt"`
	Schema json.RawMessage `json:"schema"` // JSON schema of the answer
}

// Reply is the answer to the PendingRequest with the same id.
type Reply struct {
	ID     string          `json:"id"`
	By     string          `json:"by,omitempty"` // name of the person or agent that answered
	Answer json.RawMessage `json:"answer"`
}

// PreparedReader is an llm.Generator that returns answers from a file, and collects the requests for which there is
// none. It is safe for concurrent use.
type PreparedReader struct {
	by string

	mu      sync.Mutex
	answers map[string]Reply
	open    []PendingRequest
	used    map[string]bool
	wrong   []string // reasons why answers were invalid
}

// New returns a PreparedReader with these answers. by is the name of the reader, for answers without a name.
func New(by string, answers ...Reply) *PreparedReader {
	r := &PreparedReader{by: by, answers: map[string]Reply{}, used: map[string]bool{}}
	for _, a := range answers {
		r.answers[a.ID] = a
	}
	return r
}

// ID returns the name in New, for [llm.NameOf].
func (r *PreparedReader) ID() string { return r.by }

// Generate returns the answer to the request q. If there is none, it collects q and returns an [llm.Error] of the kind
// [llm.KindNotRecorded]. If the answer does not fit the schema, the error is that of [llm.Decode].
func (r *PreparedReader) Generate(_ context.Context, q llm.Request) (llm.Answer, error) {
	id := tape.Key(q)
	r.mu.Lock()
	defer r.mu.Unlock()
	a, ok := r.answers[id]
	if r.wrong = append(r.wrong, q.Repairing...); !ok {
		r.open = append(r.open, PendingRequest{ID: id, Name: q.Name, System: q.System, Prompt: q.Prompt, Schema: q.Schema})
		return llm.Answer{}, &llm.Error{Kind: llm.KindNotRecorded, Err: errors.New("nobody has answered this question yet")}
	}
	r.used[id] = true
	raw, err := llm.Decode(string(a.Answer), q.Schema)
	if err != nil {
		return llm.Answer{}, err
	}
	by := cmp.Or(a.By, r.by)
	return llm.Answer{JSON: raw, Model: by}, nil
}

// Open returns the requests without an answer so far, sorted by name and id, each once.
func (r *PreparedReader) Open() []PendingRequest {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := slices.Clone(r.open)
	slices.SortFunc(out, func(a, b PendingRequest) int { return bytes.Compare([]byte(a.Name+a.ID), []byte(b.Name+b.ID)) })
	return slices.CompactFunc(out, func(a, b PendingRequest) bool { return a.ID == b.ID })
}

// Wrong returns the reasons why answers so far were invalid, as sentences.
func (r *PreparedReader) Wrong() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.wrong)
}

// Unused returns the ids of the answers that belong to no request so far, sorted.
func (r *PreparedReader) Unused() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var out []string
	for id := range r.answers {
		if !r.used[id] {
			out = append(out, id)
		}
	}
	slices.Sort(out)
	return out
}

// Limits of a file of answers.
const (
	mostAnswers = 10_000
	mostLine    = 4 << 20 // bytes of an answer
)

// ReplyProblem is why a line of a file is no answer. It continues a sentence that begins with the line.
type ReplyProblem string

// The problems of a line of a file of answers.
const (
	NoObject ReplyProblem = "is no JSON object; write one answer a line"
	NoID     ReplyProblem = "has no id; copy that of the question"
	NoAnswer ReplyProblem = "has no answer"
	TooLong  ReplyProblem = "is too long"
	TooMany  ReplyProblem = "is beyond the number of answers that are read at once"
)

// ReplyError names an invalid line in a file of answers, and what is wrong with it.
type ReplyError struct {
	Line    int
	Problem ReplyProblem
}

func (e *ReplyError) Error() string { return fmt.Sprintf("line %d %s", e.Line, e.Problem) }

// Write writes the requests to w, one JSON object a line.
func Write(w io.Writer, questions []PendingRequest) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	for i := range questions {
		if err := enc.Encode(&questions[i]); err != nil {
			return fmt.Errorf("write questions: %w", err)
		}
	}
	return nil
}

// Read reads answers from r, one JSON object a line with id and answer. For the first invalid line it returns a
// *ReplyError, and no answers.
func Read(r io.Reader) ([]Reply, error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 0, 64<<10), mostLine)
	var out []Reply
	n := 1
	for ; lines.Scan(); n++ {
		line := bytes.TrimSpace(bytes.TrimPrefix(lines.Bytes(), []byte("\ufeff")))
		if len(line) == 0 {
			continue
		}
		var a Reply
		switch err := json.Unmarshal(line, &a); {
		case err != nil:
			return nil, &ReplyError{n, NoObject}
		case a.ID == "":
			return nil, &ReplyError{n, NoID}
		case len(a.Answer) == 0:
			return nil, &ReplyError{n, NoAnswer}
		case len(out) == mostAnswers:
			return nil, &ReplyError{n, TooMany}
		}
		out = append(out, a)
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return nil, &ReplyError{n, TooLong}
	}
	return out, lines.Err()
}
