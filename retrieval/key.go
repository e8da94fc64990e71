package retrieval

import "strings"

// kind keeps the lists of words, ids and names apart.
type kind byte

const (
	wordKind  kind = 'w' // a token
	idKind    kind = 'i' // a node's id
	sceneKind kind = 's' // a scene id
	routeKind kind = 'r' // a route pattern
	placeKind kind = 'p' // a scene id without a route, or a route without a scene id
	testKind  kind = 't' // a test's case_id
	alikeKind kind = 'a' // error type, direction and scene id: the partition of near-duplicates
	typeKind  kind = 'y' // a scene type
	checkKind kind = 'k' // a check of the taxonomy that a lesson is about
	scopeKind kind = 'c' // a product, a suite, a test
)

// key is the name of a list: 64 bits of its kind and parts (FNV-1a, then
// MurmurHash3's finaliser, so that keys are spread evenly and a key is found by
// interpolation). Two names share a key with a chance of n²/2⁶⁵; what is
// found by name is compared again by its text, and a word that shares a key
// with another counts as that word.
func key(k kind, parts ...string) uint64 {
	const prime = 1099511628211
	h := (uint64(14695981039346656037) ^ uint64(k)) * prime
	for i, p := range parts {
		if i > 0 {
			h = (h ^ 0xff) * prime // no byte of UTF-8
		}
		for j := range len(p) {
			h = (h ^ uint64(p[j])) * prime
		}
	}
	h ^= h >> 33
	h *= 0xff51afd7ed558ccd
	h ^= h >> 33
	h *= 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}

// mark is a short key for a column, 0 for the empty name only.
func mark(k kind, parts ...string) uint32 {
	if strings.Join(parts, "") == "" {
		return 0
	}
	return uint32(key(k, parts...)>>32) | 1
}
