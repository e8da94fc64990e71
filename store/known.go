package store

import (
	"crypto/sha256"

	"github.com/memtree/memtree/tree"
)

// Hash is the first 16 bytes of the SHA-256 of an evaluation's key.
type Hash [16]byte

// HashOf returns the Hash of a key.
func HashOf(key string) Hash {
	h := sha256.Sum256([]byte(key))
	return Hash(h[:16])
}

// Known is what a store remembers of an evaluation that it accepted.
type Known struct {
	Digest   [8]byte // DigestOf the evaluation; zero if a repair restored the key from the ledger
	Before   [8]byte // DigestOf an evaluation without a label that was accepted before under the key; zero: none
	Labelled bool    // the evaluation had a label
}

// KnownKey is what a store remembers of an accepted evaluation, with the hash of its key.
type KnownKey struct {
	Key Hash
	Known
}

// DigestOf returns the first 8 bytes of the SHA-256 of an evaluation's Digest.
func DigestOf(e *tree.Evaluation) [8]byte {
	h := sha256.Sum256([]byte(e.Digest()))
	return [8]byte(h[:])
}

// Judge decides about an evaluation that arrives with the key of k and has the given digest. If the digest is k.Digest
// or k.Before, the evaluation is a Duplicate. Otherwise, if it has a label and k has none, it is Accepted, and k
// becomes what is known of it. Any other evaluation is a Contradiction, or a Duplicate if k.Digest is zero.
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
