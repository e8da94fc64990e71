package main

import (
	"errors"
	"os"

	"golang.org/x/term"

	"github.com/memtree/memtree/internal/cli/say"
	"github.com/memtree/memtree/transfer"
)

// sign signs an export. Without a key it removes an older signature of the file.
func sign(v *say.Voice, path string, key *transfer.SigningKey, out *exported) (err error) {
	if key == nil {
		return transfer.Unsign(path)
	}
	if out.KeyID, err = key.Sign(path); err != nil {
		return fileFailure(v, path, err)
	}
	return nil
}

// signPassword returns the password of a locked key. It looks in the environment first and
// then asks on a terminal.
func signPassword(v *say.Voice) (string, error) {
	if word := v.Getenv("MEMTREE_SIGN_PASSWORD"); word != "" {
		return word, nil
	}
	f, ok := v.Stdin.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) { //nolint:gosec // a file descriptor
		return "", v.Fail(nil, "the key is locked; give its password in MEMTREE_SIGN_PASSWORD")
	}
	if _, err := v.Stderr.Write([]byte(v.Say("password of the key: "))); err != nil {
		return "", err
	}
	b, err := term.ReadPassword(int(f.Fd())) //nolint:gosec // a file descriptor
	_, _ = v.Stderr.Write([]byte("\n"))      // the terminal did not show the line break of the user
	return string(b), err
}

// keyFailure returns the problem of a file of keys.
func keyFailure(v *say.Voice, err error) error {
	if f, ok := errors.AsType[*transfer.RefusedError](err); ok {
		return &say.Failure{Text: f.Problem, Cause: err}
	}
	return err
}

// signatureFailure describes which of three problems a signature has.
func signatureFailure(v *say.Voice, e *transfer.SignatureError) error {
	switch {
	case errors.Is(e, transfer.ErrUnsigned):
		return v.Fail(e, "%s is not signed, and nothing was changed: there is no %s; "+
			"ask for it, or leave --verify out", e.Path, e.Path+".minisig")
	case errors.Is(e, transfer.ErrUnknownKey):
		return v.Fail(e, "%s is signed by key %s, which is none of those given with --verify; nothing was changed",
			e.Path, e.KeyID)
	}
	return v.Fail(e, "the signature of %s is broken, and nothing was changed: the file or the signature is not "+
		"what was signed; ask for both again", e.Path)
}
