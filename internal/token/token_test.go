package token

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func added(t *testing.T, dir, name string, holds time.Duration, scopes ...Permission) string {
	t.Helper()
	tok, secret, err := New(name, scopes, nil, noon, holds)
	require.NoError(t, err)
	require.NoError(t, Add(dir, tok))
	return secret
}

func TestTokenIsKeptAsAHashAlone(t *testing.T) {
	dir := t.TempDir()
	secret := added(t, dir, "ci", 0, Write)
	require.Regexp(t, `^mt_[A-Za-z0-9_-]{43}$`, secret)
	b, err := os.ReadFile(filepath.Join(dir, fileName))
	require.NoError(t, err)
	require.NotContains(t, string(b), secret)
	require.NotContains(t, string(b), secret[prefixLen:])
	info, err := os.Stat(filepath.Join(dir, fileName))
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
}

func TestFind(t *testing.T) {
	dir := t.TempDir()
	k := NewKeeper(dir)
	_, err := k.Find("", noon)
	require.ErrorIs(t, err, ErrNone)
	secret := added(t, dir, "ci", 24*time.Hour, Write)
	other := added(t, dir, "a", 0, Read)

	tok, err := k.Find(secret, noon)
	require.NoError(t, err)
	require.Equal(t, "ci", tok.Name)
	_, err = k.Find(secret, noon.Add(24*time.Hour))
	require.ErrorIs(t, err, ErrExpired)
	for _, wrong := range []string{"x", secret[:len(secret)-1] + "!", secret + "A", strings.ToUpper(secret),
		mark + strings.Repeat("A", secretLen-len(mark))} {
		_, err = k.Find(wrong, noon)
		require.ErrorIs(t, err, ErrWrong, wrong)
	}

	require.NoError(t, Revoke(dir, "ci"))
	_, err = k.Find(secret, noon)
	require.ErrorIs(t, err, ErrWrong, "a revoked token holds no longer, without a restart")
	_, err = k.Find(other, noon)
	require.NoError(t, err)
}

func TestScopesCover(t *testing.T) {
	for _, c := range []struct {
		has  Permission
		need string
	}{{Read, "read"}, {Write, "read write"}, {Import, "import"}, {Admin, "read write import admin"}} {
		for _, need := range Scopes() {
			require.Equal(t, strings.Contains(c.need, string(need)), (&Token{Scopes: []Permission{c.has}}).May(need), "%s %s",
				c.has, need)
		}
	}
}

func TestAddRefuses(t *testing.T) {
	dir := t.TempDir()
	added(t, dir, "ci", 0, Read)
	tok, _, err := New("ci", []Permission{Read}, nil, noon, 0)
	require.NoError(t, err)
	require.ErrorIs(t, Add(dir, tok), ErrTaken)
	require.ErrorIs(t, Revoke(dir, "nobody"), ErrUnknown)
	for _, bad := range []struct {
		name   string
		scopes []Permission
		trees  []string
		holds  time.Duration
	}{{name: "", scopes: []Permission{Read}}, {name: "a b", scopes: []Permission{Read}}, {name: "a"},
		{name: "a", scopes: []Permission{"root"}}, {name: "a", scopes: []Permission{Read}, trees: []string{"../x"}},
		{name: "a", scopes: []Permission{Read}, holds: -time.Hour}} {
		_, _, err := New(bad.name, bad.scopes, bad.trees, noon, bad.holds)
		require.Error(t, err, "%+v", bad)
	}
}

// TestManyAtOnce: concurrent changes are not lost.
func TestManyAtOnce(t *testing.T) {
	dir := t.TempDir()
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			tok, _, err := New(string(rune('a'+i)), []Permission{Read}, nil, noon, 0)
			if err == nil {
				err = Add(dir, tok)
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	all, err := List(dir)
	require.NoError(t, err)
	require.Len(t, all, 20)
}

// TestDamageLetsNobodyIn: each damage refuses all requests, with a sentence that names the remedy.
func TestDamageLetsNobodyIn(t *testing.T) {
	dir := t.TempDir()
	secret := added(t, dir, "ci", 0, Admin)
	path := filepath.Join(dir, fileName)
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	k := NewKeeper(dir)
	for what, b := range map[string]string{
		"cut":        string(whole[:len(whole)/2]),
		"empty":      "",
		"not json":   "hello",
		"more":       string(whole) + "{}",
		"other":      strings.Replace(string(whole), format, "memtree-tokens/9", 1),
		"scope":      strings.Replace(string(whole), `"admin"`, `"root"`, 1),
		"field":      strings.Replace(string(whole), `"name"`, `"x": 1, "name"`, 1),
		"hash":       strings.Replace(string(whole), `"sha256": "`, `"sha256": "zz`, 1),
		"long":       `{"format":"` + strings.Repeat("x", maxFile),
		"no created": strings.Replace(string(whole), `"2026-03-01T12:00:00Z"`, `"0001-01-01T00:00:00Z"`, 1),
	} {
		require.NoError(t, os.WriteFile(path, []byte(b), 0o600))
		_, err := k.Find(secret, noon)
		var damaged *damagedError
		require.ErrorAs(t, err, &damaged, what)
		require.Less(t, len(err.Error()), len(dir)+300, what)
		require.Error(t, Add(dir, Token{Name: "b"}), what)
	}
	require.NoError(t, os.WriteFile(path, whole, 0o600))
	_, err = k.Find(secret, noon)
	require.NoError(t, err, "mended")
}

func FuzzDecode(f *testing.F) {
	tok, _, err := New("ci", []Permission{Write}, []string{"a"}, noon, time.Hour)
	require.NoError(f, err)
	b, err := json.Marshal(tokenFile{format, []Token{tok}})
	require.NoError(f, err)
	f.Add(b)
	f.Add([]byte(`{"format":"memtree-tokens/1","tokens":null}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		all, err := decode("tokens.json", b)
		if err != nil {
			return
		}
		for i := range all {
			require.NoError(t, all[i].check())
		}
		again, err := json.Marshal(tokenFile{format, all})
		require.NoError(t, err)
		_, err = decode("tokens.json", again)
		require.NoError(t, err)
	})
}
