package transfer_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"aead.dev/minisign"
	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/transfer"
)

// keyPair writes a pair of keys and returns their paths.
func keyPair(t testing.TB, dir, name string) (secret, public string) {
	t.Helper()
	pub, priv, err := minisign.GenerateKey(nil)
	require.NoError(t, err)
	b, err := priv.MarshalText()
	require.NoError(t, err)
	secret, public = filepath.Join(dir, name+".key"), filepath.Join(dir, name+".pub")
	require.NoError(t, os.WriteFile(secret, b, 0o600))
	b, err = pub.MarshalText()
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(public, b, 0o600))
	return secret, public
}

// readSigned reads a file and returns the id of its signer.
func readSigned(path string, keys *transfer.Keys) (string, error) {
	f := transfer.File{Path: path, Keys: keys}
	for _, err := range f.Nodes {
		if err != nil {
			return "", err
		}
	}
	return f.SignedBy, nil
}

func TestSignatures(t *testing.T) {
	dir := t.TempDir()
	secret, public := keyPair(t, dir, "ours")
	_, other := keyPair(t, dir, "other")
	file, folder := filepath.Join(dir, "a.memtree"), filepath.Join(dir, "folder")
	forms := map[string]transfer.Form{file: transfer.Archive, folder: transfer.Folder}
	for path, form := range forms {
		_, err := transfer.Write(path, form, given(aCase("x")), transfer.Beside{})
		require.NoError(t, err)
	}
	keys := func(paths ...string) *transfer.Keys {
		k, err := transfer.ReadKeys(paths...)
		require.NoError(t, err)
		return k
	}
	key, err := transfer.ReadSigningKey(secret, nil)
	require.NoError(t, err)
	for _, path := range []string{file, folder} {
		_, err := readSigned(path, keys(public))
		require.ErrorIs(t, err, transfer.ErrUnsigned)
		id, err := key.Sign(path)
		require.NoError(t, err)
		require.True(t, transfer.Signed(path))
		by, err := readSigned(path, keys(other, public))
		require.NoError(t, err)
		require.Equal(t, id, by)
		_, err = readSigned(path, keys(other))
		require.ErrorIs(t, err, transfer.ErrUnknownKey)
		require.ErrorContains(t, err, path)
	}
	// Another file under the signature of the first, whole in itself.
	for _, path := range []string{file, folder} {
		_, err = transfer.Write(path, forms[path], given(aCase("y")), transfer.Beside{})
		require.NoError(t, err)
		_, err = readSigned(path, keys(public))
		require.ErrorIs(t, err, transfer.ErrBroken)
		require.NoError(t, transfer.Unsign(path))
		require.NoError(t, transfer.Unsign(path))
		require.False(t, transfer.Signed(path))
	}
	for _, junk := range []string{"", "junk", "untrusted comment: x\nAAAA\ntrusted comment: y\nAAAA\n"} {
		require.NoError(t, os.WriteFile(file+transfer.SignatureSuffix, []byte(junk), 0o600))
		_, err = readSigned(file, keys(public))
		require.ErrorIs(t, err, transfer.ErrBroken)
	}
	_, err = transfer.ReadKeys(file)
	require.ErrorContains(t, err, "is no public key")
	_, err = transfer.ReadSigningKey(public, nil)
	require.ErrorContains(t, err, "is no secret key")
}

// lockedKey was made for this test; the test never supplies its password, because unlocking takes a gigabyte for
// seconds.
const lockedKey = `untrusted comment: minisign encrypted secret key
RWRTY0Iy8XkhgFe66112xXmhLaGJQcgXp4BQTSB+9aRaex2H17IAAAACAAAAAAAAAEAAAAAARnRw8Y6Gy4k0HdpdQC6ENHRxhkGHqDq1pFQhY6` +
	`r/pUOZm1dOXz8wovZAT8hW1oRgTf060Ahw3dAzhZdrop23piZ8q4/MDTdbMOsckyv5cmX7deC5Xr7jPn5hSSOdRRiXNZj3fH85fNY=
`

func TestALockedKeyAsksForItsPassword(t *testing.T) {
	path := filepath.Join(t.TempDir(), "locked.key")
	require.NoError(t, os.WriteFile(path, []byte(lockedKey), 0o600))
	none := errors.New("no password")
	_, err := transfer.ReadSigningKey(path, func() (string, error) { return "", none })
	require.ErrorIs(t, err, none)
}

// FuzzSignature: only a text that the key made is taken as a signature.
func FuzzSignature(f *testing.F) {
	dir := f.TempDir()
	secret, public := keyPair(f, dir, "ours")
	file := filepath.Join(dir, "a.memtree")
	_, err := transfer.Write(file, transfer.Archive, given(aCase("x")), transfer.Beside{})
	require.NoError(f, err)
	key, err := transfer.ReadSigningKey(secret, nil)
	require.NoError(f, err)
	_, err = key.Sign(file)
	require.NoError(f, err)
	good, err := os.ReadFile(file + transfer.SignatureSuffix)
	require.NoError(f, err)
	f.Add(good[:20])
	f.Add([]byte("untrusted comment: x\nRUQ=\ntrusted comment: y\nAAAA"))
	keys, err := transfer.ReadKeys(public)
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, sig []byte) {
		require.NoError(t, os.WriteFile(file+transfer.SignatureSuffix, sig, 0o600))
		_, err := readSigned(file, keys)
		require.Error(t, err)
	})
}

// FuzzKeys: a file of keys is read or refused.
func FuzzKeys(f *testing.F) {
	dir := f.TempDir()
	_, public := keyPair(f, dir, "ours")
	good, err := os.ReadFile(public)
	require.NoError(f, err)
	f.Add(good)
	f.Add([]byte("# a comment\nRWQ="))
	path := filepath.Join(dir, "keys")
	f.Fuzz(func(t *testing.T, b []byte) {
		require.NoError(t, os.WriteFile(path, b, 0o600))
		if _, err := transfer.ReadKeys(path); err != nil {
			var file *transfer.UnusableError
			require.ErrorAs(t, err, &file)
		}
		_, _ = transfer.ReadSigningKey(path, func() (string, error) { return "", errors.New("locked") }) // does not panic
	})
}
