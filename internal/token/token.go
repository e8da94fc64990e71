// Package token controls access to a service: tokens are stored as hashes in a file beside the store, and the service
// reads the file again whenever it changes.
package token

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// Permission is one thing that a token may do, also called a scope.
type Permission string

// The permissions.
const (
	Read   Permission = "read"   // receive guidance, and read what is stored
	Write  Permission = "write"  // all that Read permits; record evaluations and trials
	Import Permission = "import" // import memories, which wait in quarantine
	Admin  Permission = "admin"  // everything
)

// Scopes returns all permissions.
func Scopes() []Permission { return []Permission{Read, Write, Import, Admin} }

// Covers reports whether a token with permission s may do what needs permission need.
func (s Permission) Covers(need Permission) bool {
	return s == Admin || s == need || s == Write && need == Read
}

// Token is what is stored of one token. The secret itself is not stored.
type Token struct {
	Name    string       `json:"name"`
	Prefix  string       `json:"prefix"` // beginning of the secret, so that people can tell tokens apart
	SHA256  string       `json:"sha256"` // hash of the secret, in hex
	Scopes  []Permission `json:"scopes"`
	Trees   []string     `json:"trees,omitempty"` // names of the trees that the token may access; none: all
	Created time.Time    `json:"created"`
	Expires time.Time    `json:"expires,omitzero"` // time at which the token expires; zero: never
}

// May reports whether one of t's permissions covers need. It looks neither at the time nor at the tree; see Expired and
// Sees.
func (t *Token) May(need Permission) bool {
	return slices.ContainsFunc(t.Scopes, func(s Permission) bool { return s.Covers(need) })
}

// Sees reports whether t may access the tree with this name.
func (t *Token) Sees(tree string) bool { return len(t.Trees) == 0 || slices.Contains(t.Trees, tree) }

// Expired reports whether t has expired at the time now.
func (t *Token) Expired(now time.Time) bool { return !t.Expires.IsZero() && !now.Before(t.Expires) }

// The form of a secret: mark and 256 random bits.
const (
	mark      = "mt_"
	bits      = 256
	prefixLen = len(mark) + 6
	secretLen = len(mark) + (bits+5)/6
)

var (
	tokenName = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^[a-zA-Z0-9][a-zA-Z0-9._@-]{0,63}$`)
	})
	treeName = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,63}$`)
	})
	hashForm = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^[0-9a-f]{64}$`)
	})
	markForm = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^mt_[A-Za-z0-9_-]{6}$`)
	})
)

// New returns a new token and its secret, which has to be shown now because it is not stored. trees restricts the token
// to these trees; none: all. holds is how long the token is valid from now; 0: for ever. The error is for an invalid
// name, scope or tree.
func New(name string, scopes []Permission, trees []string, now time.Time, holds time.Duration) (Token, string, error) {
	var b [bits / 8]byte
	rand.Read(b[:]) // it never fails
	secret := mark + base64.RawURLEncoding.EncodeToString(b[:])
	t := Token{
		Name: name, Prefix: secret[:prefixLen], SHA256: hash(secret), Scopes: scopes, Trees: trees,
		Created: now.UTC().Truncate(time.Second),
	}
	if holds != 0 {
		t.Expires = t.Created.Add(holds)
	}
	return t, secret, t.check()
}

func hash(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

// check returns an error that explains why the token is invalid, nil if it is valid.
func (t *Token) check() error {
	const mostTrees = 1000
	switch {
	case !tokenName().MatchString(t.Name):
		return fmt.Errorf("the name %q cannot be used; use up to 64 of a-z, A-Z, 0-9, ., _, @ and -", clip(t.Name))
	case len(t.Scopes) == 0:
		return fmt.Errorf("token %s has no scope; use %s", t.Name, scopeList())
	case !hashForm().MatchString(t.SHA256):
		return fmt.Errorf("token %s has no SHA-256 that can be read; revoke it and add it again", t.Name)
	case !markForm().MatchString(t.Prefix):
		const problem = "token %s has the prefix %q, which no token has; revoke it and add it again"
		return fmt.Errorf(problem, t.Name, clip(t.Prefix))
	case len(t.Trees) > mostTrees:
		return fmt.Errorf("token %s names %d trees; the most is %d", t.Name, len(t.Trees), mostTrees)
	case t.Created.IsZero():
		return fmt.Errorf("token %s does not say when it was created", t.Name)
	case !t.Expires.IsZero() && !t.Expires.After(t.Created):
		return fmt.Errorf("token %s expires before it is created", t.Name)
	}
	for _, s := range t.Scopes {
		if !slices.Contains(Scopes(), s) {
			return fmt.Errorf("token %s has the scope %q; use %s", t.Name, clip(string(s)), scopeList())
		}
	}
	for _, name := range t.Trees {
		if !treeName().MatchString(name) {
			return fmt.Errorf("token %s names the tree %q, which no tree is named; use a-z, 0-9 and -", t.Name, clip(name))
		}
	}
	return nil
}

func scopeList() string {
	names := make([]string, 0, len(Scopes()))
	for _, s := range Scopes() {
		names = append(names, string(s))
	}
	return strings.Join(names[:len(names)-1], ", ") + " or " + names[len(names)-1]
}

func clip(s string) string {
	const most = 64
	return s[:min(most, len(s))]
}
