package transfer

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

	"aead.dev/minisign"
)

// Signatures are those of minisign (Ed25519 over a BLAKE2b hash). The signature of a file is beside it as
// FILE.minisig. That of a folder is manifest.json.minisig; it covers the nodes, because the manifest has their hashes.
// A signature proves who made a file, and not that its content is true. So signed imports are quarantined too.

// signatureSuffix is the end of a signature's name.
const signatureSuffix = ".minisig"

// The errors in a SignatureError.
var (
	ErrUnsigned   = errors.New("there is no signature")
	ErrUnknownKey = errors.New("the signature is of a key that was not given")
	ErrBroken     = errors.New("the signature does not fit: the file or the signature was changed")
)

// SignatureError means that the signature of an export could not be verified.
type SignatureError struct {
	Path  string // the signed file or folder
	KeyID string // id of the key of the signature; "" without one
	Err   error  // ErrUnsigned, ErrUnknownKey or ErrBroken
}

func (e *SignatureError) Error() string { return e.Path + ": " + e.Err.Error() }
func (e *SignatureError) Unwrap() error { return e.Err }

const (
	maxKeys      = 1 << 20 // bytes of a file of keys
	maxSignature = 16 << 10
)

// Keys are the public keys whose signatures are accepted.
type Keys struct{ list []minisign.PublicKey }

// ReadKeys reads public keys from files that minisign writes, each with one or more. It returns an *UnusableError for a
// file without a key, or with a line that is neither a key nor a comment.
func ReadKeys(paths ...string) (*Keys, error) {
	k := &Keys{}
	for _, path := range paths {
		b, err := readSmall(path, maxKeys)
		if err != nil {
			return nil, err
		}
		before := len(k.list)
		for line := range bytes.Lines(b) {
			line = bytes.TrimSpace(line)
			if len(line) == 0 || bytes.HasPrefix(line, []byte("untrusted comment:")) || bytes.HasPrefix(line, []byte("#")) {
				continue
			}
			var key minisign.PublicKey
			if err := key.UnmarshalText(line); err != nil {
				return nil, &UnusableError{Problem: fmt.Sprintf("%s has a line that is no public key of minisign", path)}
			}
			k.list = append(k.list, key)
		}
		if len(k.list) == before {
			return nil, &UnusableError{Problem: path + " has no public key of minisign in it"}
		}
	}
	return k, nil
}

// verify returns the id of the key that made sig, the text of a signature. check reports whether sig is a signature by
// a key of the data at path.
func (k *Keys) verify(path string, sig []byte, check func(minisign.PublicKey) bool) (string, error) {
	var s minisign.Signature
	if len(sig) > maxSignature || s.UnmarshalText(sig) != nil {
		return "", &SignatureError{Path: path, Err: ErrBroken}
	}
	id := keyID(s.KeyID)
	i := slices.IndexFunc(k.list, func(p minisign.PublicKey) bool { return p.ID() == s.KeyID })
	switch {
	case i < 0:
		return "", &SignatureError{Path: path, KeyID: id, Err: ErrUnknownKey}
	case !slices.ContainsFunc(k.list[i:], func(p minisign.PublicKey) bool { return p.ID() == s.KeyID && check(p) }):
		return "", &SignatureError{Path: path, KeyID: id, Err: ErrBroken}
	}
	return id, nil
}

// keyID formats the id of a key as minisign does.
func keyID(id uint64) string { return fmt.Sprintf("%016X", id) }

// signature reads the signature beside path.
func signature(path string) ([]byte, error) {
	b, err := readSmall(path+signatureSuffix, maxSignature+1)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &SignatureError{Path: path, Err: ErrUnsigned}
	}
	return b, err
}

// Signed reports whether the export at path, a file or a folder, has a signature file beside it. Signed does not
// verify the signature.
func Signed(path string) bool {
	_, err := os.Stat(signedPart(path) + signatureSuffix)
	return err == nil
}

// readSmall reads at most the first most bytes of a file.
func readSmall(path string, most int64) ([]byte, error) {
	f, err := os.Open(path) //nolint:gosec // the caller names the file
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // only read
	b, err := io.ReadAll(io.LimitReader(f, most))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	return b, nil
}

// SigningKey is a secret key of minisign.
type SigningKey struct{ key minisign.PrivateKey }

// ReadSigningKey reads a secret key that minisign wrote. It calls password only if the key is locked.
func ReadSigningKey(path string, password func() (string, error)) (*SigningKey, error) {
	b, err := readSmall(path, maxKeys)
	if err != nil {
		return nil, err
	}
	k := &SigningKey{}
	if !minisign.IsEncrypted(b) {
		if err := k.key.UnmarshalText(bytes.TrimSpace(b)); err != nil {
			return nil, &UnusableError{Problem: path + " is no secret key of minisign"}
		}
		return k, nil
	}
	word, err := password()
	if err != nil {
		return nil, err
	}
	if k.key, err = minisign.DecryptKey(word, b); err != nil {
		return nil, &UnusableError{Problem: path + " cannot be unlocked with that password"}
	}
	return k, nil
}

// Sign signs the export at path, a file or a folder. It writes the signature beside the file, or beside the manifest
// in the folder, and returns the id of the key.
func (k *SigningKey) Sign(path string) (string, error) {
	path = signedPart(path)
	f, err := os.Open(path) //nolint:gosec // the caller names the file
	if err != nil {
		return "", err
	}
	defer f.Close() //nolint:errcheck // only read
	r := minisign.NewReader(f)
	if _, err := io.Copy(io.Discard, r); err != nil {
		return "", fmt.Errorf("sign %s: %w", path, err)
	}
	sig := r.SignWithComments(k.key, "memtree export, file "+filepath.Base(path), "signature of a memtree export")
	err = writeWhole(path+signatureSuffix, []byte("untrusted comment:"), func(w io.Writer) error {
		_, err := w.Write(append(bytes.TrimRight(sig, "\n"), '\n'))
		return err
	})
	return keyID(k.key.ID()), err
}

// Unsign removes the signature of an earlier export at path. It is no error if there is none.
func Unsign(path string) error {
	if err := os.Remove(signedPart(path) + signatureSuffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// signedPart returns the file that a signature covers.
func signedPart(path string) string {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return filepath.Join(path, manifestName)
	}
	return path
}

// folderSignature verifies the signature of a folder's manifest, and that the manifest equals that of the nodes read.
func (k *Keys) folderSignature(dir string, read Manifest) (string, error) {
	path := filepath.Join(dir, manifestName)
	b, err := readSmall(path, maxManifest+1)
	if err != nil {
		return "", err
	}
	sig, err := signature(path)
	if err != nil {
		return "", err
	}
	by, err := k.verify(dir, sig, func(p minisign.PublicKey) bool { return verifyBytes(p, b, sig) })
	if err != nil {
		return "", err
	}
	var m Manifest
	if err := json.Unmarshal(b, &m); err != nil || !slices.Equal(m.Types, read.Types) {
		return "", &SignatureError{Path: dir, KeyID: by, Err: ErrBroken}
	}
	return by, nil
}

func verifyBytes(p minisign.PublicKey, b, sig []byte) bool {
	r := minisign.NewReader(bytes.NewReader(b))
	if _, err := io.Copy(io.Discard, r); err != nil {
		return false
	}
	return r.Verify(p, sig)
}
