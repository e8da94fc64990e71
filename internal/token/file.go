package token

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/gofrs/flock"

	"github.com/memtree/memtree/internal/whole"
)

// fileName is the name of the file in the folder of a store.
const fileName = "tokens.json"

// MaxTokens is the most tokens that a file may have.
const MaxTokens = 1000

const (
	format  = "memtree-tokens/1"
	maxFile = 4 << 20
)

type tokenFile struct {
	Format string  `json:"format"`
	Tokens []Token `json:"tokens"` // sorted by name
}

// damagedError is a file of tokens that cannot be used. All requests are refused until it is repaired.
type damagedError struct {
	Path    string
	Problem string // continues the sentence after the path, with a remedy
}

func (e *damagedError) Error() string { return e.Path + " " + e.Problem }

// ErrUnknown means that there is no token with the name.
var ErrUnknown = errors.New("there is no token of this name")

// ErrTaken means that there is already a token with the name.
var ErrTaken = errors.New("there is a token of this name; revoke it first, or choose another name")

// ErrMany means that there are already MaxTokens tokens.
var ErrMany = fmt.Errorf("there are %d tokens, which is the most; revoke some", MaxTokens)

// List returns the tokens stored in the folder dir, sorted by name. It returns none if there is no file of tokens.
func List(dir string) ([]Token, error) {
	path := filepath.Join(dir, fileName)
	f, err := os.Open(path) //nolint:gosec // the user names the folder
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the tokens: %w", err)
	}
	defer f.Close() //nolint:errcheck // only read
	b, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return nil, fmt.Errorf("read the tokens: %w", err)
	}
	return decode(path, b)
}

// decode reads the bytes of a file of tokens. Every error is a *damagedError.
func decode(path string, b []byte) ([]Token, error) {
	damaged := func(how string, args ...any) ([]Token, error) {
		return nil, &damagedError{path, fmt.Sprintf(how, args...)}
	}
	if len(b) > maxFile {
		return damaged("is longer than %d bytes, which is the most; it is no file of tokens: move it away", maxFile)
	}
	var f tokenFile
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&f); err != nil {
		return damaged("is not a file of tokens (%s); move it away, and add the tokens again", clip(err.Error()))
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return damaged("has bytes after its end; move it away, and add the tokens again")
	}
	if f.Format != format {
		return damaged("has the format %q, this program reads %q; use the program that wrote it", clip(f.Format), format)
	}
	if len(f.Tokens) > MaxTokens {
		return damaged("has %d tokens; the most is %d", len(f.Tokens), MaxTokens)
	}
	for i := range f.Tokens {
		if err := f.Tokens[i].check(); err != nil {
			return damaged("cannot be used: %s", err)
		}
		if i > 0 && f.Tokens[i-1].Name >= f.Tokens[i].Name {
			return damaged("names %s twice or out of order; take one out", f.Tokens[i].Name)
		}
	}
	return f.Tokens, nil
}

// Add stores the token t in the folder dir. The error wraps ErrTaken if there is a token of its name, and ErrMany if
// there are MaxTokens tokens.
func Add(dir string, t Token) error {
	return change(dir, func(all []Token) ([]Token, error) {
		i, there := find(all, t.Name)
		switch {
		case there:
			return nil, fmt.Errorf("%s: %w", t.Name, ErrTaken)
		case len(all) == MaxTokens:
			return nil, ErrMany
		}
		return slices.Insert(all, i, t), nil
	})
}

// Revoke removes the token with this name from the folder dir. A running service notices it at the next request. The
// error is ErrUnknown if there is none.
func Revoke(dir, name string) error {
	return change(dir, func(all []Token) ([]Token, error) {
		i, there := find(all, name)
		if !there {
			return nil, fmt.Errorf("%s: %w", clip(name), ErrUnknown)
		}
		return slices.Delete(all, i, i+1), nil
	})
}

func find(all []Token, name string) (int, bool) {
	return slices.BinarySearchFunc(all, name, func(t Token, name string) int {
		return bytes.Compare([]byte(t.Name), []byte(name))
	})
}

// change replaces the file atomically. A lock serializes processes, so that no change is lost.
func change(dir string, edit func([]Token) ([]Token, error)) (err error) {
	lock := flock.New(filepath.Join(dir, "tokens.lock"), flock.SetPermissions(0o600))
	if err := lock.Lock(); err != nil {
		return fmt.Errorf("lock the tokens: %w", err)
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	all, err := List(dir)
	if err != nil {
		return err
	}
	if all, err = edit(all); err != nil {
		return err
	}
	b, err := json.MarshalIndent(tokenFile{format, all}, "", "  ")
	if err != nil {
		return fmt.Errorf("write the tokens: %w", err)
	}
	return whole.Bytes(filepath.Join(dir, fileName), 0o600, append(b, '\n')) // readable only by its owner
}
