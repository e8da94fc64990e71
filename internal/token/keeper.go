package token

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// Errors of Keeper.Find.
var (
	ErrNone    = errors.New("no token was sent")
	ErrWrong   = errors.New("the token is not known")
	ErrExpired = errors.New("the token has expired")
)

// Keeper checks whether a secret is that of a stored token. At every call it reads the file of tokens again if that has
// changed. Its methods are safe for concurrent use.
type Keeper struct {
	path string

	mu    sync.RWMutex
	read  bool
	info  fs.FileInfo // of the file that was read; nil: it did not exist
	held  []hashedToken
	fault error // why no token can be used
}

type hashedToken struct {
	Token
	sum [sha256.Size]byte
}

// NewKeeper returns a Keeper for the tokens in the folder dir.
func NewKeeper(dir string) *Keeper { return &Keeper{path: filepath.Join(dir, fileName)} }

// Find returns the token whose secret is secret and that has not expired at the time now. The error is ErrNone,
// ErrWrong, ErrExpired or an error of List. The time it takes does not depend on how much of the secret is right.
func (k *Keeper) Find(secret string, now time.Time) (*Token, error) {
	held, err := k.tokens()
	if err != nil {
		return nil, err
	}
	if secret == "" {
		return nil, ErrNone
	}
	if len(secret) != secretLen || !strings.HasPrefix(secret, mark) {
		return nil, ErrWrong
	}
	sum, at := sha256.Sum256([]byte(secret)), -1
	for i := range held {
		if subtle.ConstantTimeCompare(sum[:], held[i].sum[:]) == 1 {
			at = i
		}
	}
	switch {
	case at < 0:
		return nil, ErrWrong
	case held[at].Expired(now):
		return nil, ErrExpired
	}
	return &held[at].Token, nil
}

// tokens returns the present tokens of the file.
func (k *Keeper) tokens() ([]hashedToken, error) {
	info, err := os.Stat(k.path)
	if err != nil {
		info = nil
	}
	k.mu.RLock()
	if k.read && same(k.info, info) {
		defer k.mu.RUnlock()
		return k.held, k.fault
	}
	k.mu.RUnlock()
	k.mu.Lock()
	defer k.mu.Unlock()
	k.read, k.info, k.held, k.fault = true, info, nil, nil
	all, err := List(filepath.Dir(k.path))
	if err != nil {
		k.fault = err
		return nil, err
	}
	for _, t := range all {
		x := hashedToken{Token: t}
		if _, err := hex.Decode(x.sum[:], []byte(t.SHA256)); err != nil {
			continue // impossible: List has checked its form
		}
		k.held = append(k.held, x)
	}
	return k.held, nil
}

// same reports whether two results of a stat describe the same unchanged file.
func same(a, b fs.FileInfo) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return a.Size() == b.Size() && a.ModTime().Equal(b.ModTime()) && os.SameFile(a, b)
}
