package store

import (
	"crypto/sha256"

	"github.com/memtree/memtree/tree"
)

// Hash is the first bytes of the SHA-256 of a key.
type Hash [16]byte

// HashOf returns the hash of a key.
func HashOf(key string) Hash {
	h := sha256.Sum256([]byte(key))
	return Hash(h[:16])
}

// Known is what a store remembers of an evaluation that it accepted.
type Known struct {
	Digest   [8]byte // of the evaluation, see DigestOf; zero if a repair restored the key from the ledger
	Before   [8]byte // of the content that was accepted without a label before; zero if there was none
	Labelled bool    // the evaluation had a label
}

// KnownKey is Known with the key.
type KnownKey struct {
	Key Hash
	Known
}

// DigestOf returns the first bytes of the SHA-256 of an evaluation's Digest.
func DigestOf(e *tree.Evaluation) [8]byte {
	h := sha256.Sum256([]byte(e.Digest()))
	return [8]byte(h[:])
}

// Judge returns what becomes of an arrival with the key of k. The same evaluation, or its form before it had a label,
// is a duplicate. Any other contradicts it, unless it adds a label to one without or k.Digest is zero. If the arrival
// is accepted, k is then what is known of it.
func (k *Known) Judge(digest [8]byte, labelled bool) ReceiptStatus {
	var none [8]byte
	switch {
	case k.Digest == digest, k.Before == digest && k.Before != none:
		return Duplicate
	case !k.Labelled && labelled:
		*k = Known{Digest: digest, Before: k.Digest, Labelled: true}
		return Accepted
	case k.Digest == none:
		return Duplicate
	}
	return Contradiction
}
