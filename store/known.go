package store

import (
	"crypto/sha256"

	"github.com/memtree/memtree/tree"
)

// Known is what a store remembers of an evaluation that it accepted.
type Known struct {
	Digest   [8]byte // of the evaluation, see DigestOf; zero if a repair restored the key from the ledger
	Before   [8]byte // of the content that was accepted without a label before; zero if there was none
	Labelled bool    // the evaluation had a label
}

// KnownKey is Known with the key.
type KnownKey struct {
	Key [16]byte // first bytes of the SHA-256 of the key
	Known
}

// DigestOf returns the first bytes of the SHA-256 of an evaluation's Digest.
func DigestOf(e *tree.Evaluation) [8]byte {
	h := sha256.Sum256([]byte(e.Digest()))
	return [8]byte(h[:])
}

// Judge returns what becomes of an arrival with the key of k. The same evaluation, or its form before it had a label,
// is a duplicate. Any other contradicts it, unless it adds a label to one without or k.Digest is zero.
func (k *Known) Judge(digest [8]byte, labelled bool) ReceiptStatus {
	var none [8]byte
	switch {
	case k.Digest == digest, k.Before == digest && k.Before != none:
		return Duplicate
	case !k.Labelled && labelled:
		return Accepted
	case k.Digest == none:
		return Duplicate
	}
	return Contradiction
}
