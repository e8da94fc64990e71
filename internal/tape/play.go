package tape

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/memtree/memtree/llm"
)

// FolderProblem is why a folder of recordings cannot be used.
type FolderProblem string

// The problems of a [FolderError].
const (
	IsMissing   FolderProblem = "there is no such folder"
	IsFile      FolderProblem = "it is a file, not a folder"
	IsEmpty     FolderProblem = "there is no recording in it"
	notReadable FolderProblem = "it cannot be read"
	NotWritable FolderProblem = "nothing can be written into it"
	TooMuch     FolderProblem = "there is too much in it"
	IsBroken    FolderProblem = "it is no recording" // a file in the folder is no recording
	IsMixed     FolderProblem = "there are vectors of several models in it"
)

// FolderError means that a folder of recordings, or a file in it, cannot be used.
type FolderError struct {
	Path    string
	Problem FolderProblem
	Err     error // the cause; may be nil
}

func (e *FolderError) Error() string {
	s := e.Path + ": " + string(e.Problem)
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

// Unwrap returns e.Err.
func (e *FolderError) Unwrap() error { return e.Err }

// unrecordedError means that a request has no recording. It is wrapped in an [*llm.Error] of kind not recorded.
type unrecordedError struct {
	Name string // of the prompt
	File string // that would contain the recording
}

func (e *unrecordedError) Error() string {
	return fmt.Sprintf("%s was not recorded: there is no file %s", e.Name, e.File)
}

// Player is an llm.Generator that answers from recordings and calls no model. A request without a recording fails with
// [llm.KindNotRecorded]. It is safe for concurrent use.
type Player struct {
	dir  string
	all  map[string]recording
	hash string

	embedModel string // model of the first vector, by file name; "" if there are none
	dims       int    // of the first vector

	mu      sync.Mutex
	missing int
	first   unrecordedError
}

// Open reads all recordings in the folder dir. The error is a [*FolderError] with the path of the
// folder or of the damaged file.
func Open(dir string) (*Player, error) {
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, &FolderError{Path: dir, Problem: IsMissing}
	case err != nil:
		return nil, &FolderError{Path: dir, Problem: notReadable, Err: err}
	case !info.IsDir():
		return nil, &FolderError{Path: dir, Problem: IsFile}
	}
	entries, err := os.ReadDir(dir) // sorted by name
	if err != nil {
		return nil, &FolderError{Path: dir, Problem: notReadable, Err: err}
	}
	p := &Player{dir: dir, all: map[string]recording{}}
	left, h := int64(maxBytes), sha256.New()
	for _, e := range entries {
		if !isRecording(e.Name()) {
			continue
		}
		path := filepath.Join(dir, e.Name())
		b, err := readFile(path)
		if err != nil {
			return nil, err
		}
		if left -= int64(len(b)); left < 0 || len(p.all) >= maxFiles {
			return nil, &FolderError{Path: dir, Problem: TooMuch}
		}
		c, err := decode(b)
		if err != nil {
			return nil, &FolderError{Path: path, Problem: IsBroken, Err: err}
		}
		p.all[e.Name()[:keyDigits]] = c
		if c.Vector != nil && p.embedModel == "" {
			p.embedModel, p.dims = c.Model, len(c.Vector)/4
		}
		fmt.Fprintf(h, "%s %d:%s", e.Name(), len(b), b)
	}
	if len(p.all) == 0 {
		return nil, &FolderError{Path: dir, Problem: IsEmpty}
	}
	p.hash = hex.EncodeToString(h.Sum(nil)[:8])
	return p, nil
}

// readFile reads a recording. It accepts only regular files: a link to a device has no end.
func readFile(path string) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, &FolderError{Path: path, Problem: notReadable, Err: err}
	case !info.Mode().IsRegular():
		return nil, &FolderError{Path: path, Problem: IsBroken, Err: errors.New("it is not a file")}
	}
	f, err := os.Open(path) //nolint:gosec // the user names the folder
	if err != nil {
		return nil, &FolderError{Path: path, Problem: notReadable, Err: err}
	}
	defer f.Close() //nolint:errcheck // only read
	b, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	switch {
	case err != nil:
		return nil, &FolderError{Path: path, Problem: notReadable, Err: err}
	case len(b) > maxFile:
		return nil, &FolderError{Path: path, Problem: IsBroken, Err: fmt.Errorf("it has more than %d bytes", maxFile)}
	}
	return b, nil
}

// ID returns "recordings " and a hash of the names and contents of all recordings of p.
func (p *Player) ID() string { return "recordings " + p.hash }

// Plays returns true: p calls no model, so its answers cost nothing. See llm.Plays.
func (*Player) Plays() bool { return true }

// Len returns how many recorded answers and how many recorded vectors p has.
func (p *Player) Len() (answers, vectors int) {
	for _, c := range p.all {
		if c.Vector != nil {
			vectors++
		}
	}
	return len(p.all) - vectors, vectors
}

// Models returns the names of the models whose answers are recorded, sorted.
func (p *Player) Models() []string {
	names := map[string]bool{}
	for _, c := range p.all {
		if c.Failure == "" && c.Vector == nil {
			names[c.Model] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// Missing returns the number n of calls of Generate so far that found no recording. name and file belong to the one of
// them whose file name sorts first: the name of its prompt, and the path where its recording would be. Both are "" if
// n is 0.
func (p *Player) Missing() (n int, name, file string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.missing, p.first.Name, p.first.File
}

// Generate returns the recorded answer to r, or the recorded failure.
func (p *Player) Generate(ctx context.Context, r llm.Request) (llm.Answer, error) {
	if err := ctx.Err(); err != nil {
		return llm.Answer{}, &llm.Error{Kind: llm.KindCancelled, Err: err}
	}
	key := Key(r)
	if c, ok := p.all[key]; ok {
		return c.play(r)
	}
	missing := unrecordedError{Name: r.Name, File: filepath.Join(p.dir, key+suffix)}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.missing++
	if p.first.File == "" || missing.File < p.first.File {
		p.first = missing // the least file name, so that the result does not depend on their order
	}
	return llm.Answer{}, &llm.Error{Kind: llm.KindNotRecorded, Err: &missing}
}
