package main

import (
	"errors"
	"os"

	"golang.org/x/term"

	"github.com/memtree/memtree/transfer"
)

// sign signs an export. Without a key it removes an older signature of the file.
func (a *app) sign(path string, key *transfer.SigningKey, out *exported) (err error) {
	if key == nil {
		return transfer.Unsign(path)
	}
	if out.KeyID, err = key.Sign(path); err != nil {
		return a.fileFailure(path, err)
	}
	return nil
}

// signPassword returns the password of a locked key. It looks in the environment first and
// then asks on a terminal.
func (a *app) signPassword() (string, error) {
	if word := a.getenv("MEMTREE_SIGN_PASSWORD"); word != "" {
		return word, nil
	}
	f, ok := a.stdin.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) { //nolint:gosec // a file descriptor
		return "", &failure{a.say("the key is locked; give its password in MEMTREE_SIGN_PASSWORD"), nil}
	}
	if _, err := a.stderr.Write([]byte(a.say("password of the key: "))); err != nil {
		return "", err
	}
	b, err := term.ReadPassword(int(f.Fd())) //nolint:gosec // a file descriptor
	_, _ = a.stderr.Write([]byte("\n"))      // the terminal did not show the line break of the user
	return string(b), err
}

// keyFailure returns the problem of a file of keys.
func (a *app) keyFailure(err error) error {
	if f, ok := errors.AsType[*transfer.RefusedError](err); ok {
		return &failure{f.Problem, err}
	}
	return err
}

// signatureFailure describes which of three problems a signature has.
func (a *app) signatureFailure(e *transfer.SignatureError) error {
	switch {
	case errors.Is(e, transfer.ErrUnsigned):
		return &failure{a.say("%s is not signed, and nothing was changed: there is no %s; "+
			"ask for it, or leave --verify out", e.Path, e.Path+".minisig"), e}
	case errors.Is(e, transfer.ErrUnknownKey):
		return &failure{a.say("%s is signed by key %s, which is none of those given with --verify; nothing was changed",
			e.Path, e.KeyID), e}
	}
	return &failure{a.say("the signature of %s is broken, and nothing was changed: the file or the signature is not "+
		"what was signed; ask for both again", e.Path), e}
}
