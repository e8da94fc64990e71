package retrieval

import "strings"

// keyKind is the kind of object that a key names, so that a token and an id of the same text have different keys.
type keyKind byte

const (
	wordKind  keyKind = 'w' // a token
	idKind    keyKind = 'i' // a node's id
	sceneKind keyKind = 's' // a scene id
	routeKind keyKind = 'r' // a route pattern
	placeKind keyKind = 'p' // a scene id without a route, or a route without a scene id
	testKind  keyKind = 't' // a test's case_id
	alikeKind keyKind = 'a' // error type, direction and scene id: the partition of near-duplicates
	typeKind  keyKind = 'y' // a scene type
	checkKind keyKind = 'k' // a check of the taxonomy that a case leans to
	scopeKind keyKind = 'c' // a product, a suite, a test
	ownKind   keyKind = 'o' // lessons worded by a person
)

// key returns the name of a list, a 64-bit hash of its kind and parts. The hash is FNV-1a with MurmurHash3's
// finaliser, which spreads the keys evenly, so that interpolation finds them fast. Among n names two have the same key
// with a probability of about n²/2⁶⁵. A match by id is compared with the id again. Two tokens with the same key are
// treated as one.
func key(k keyKind, parts ...string) uint64 {
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

// mark is a 32-bit key for a column of the slot heads. It is 0 only for empty parts.
func mark(k keyKind, parts ...string) uint32 {
	if strings.Join(parts, "") == "" {
		return 0
	}
	return uint32(key(k, parts...)>>32) | 1
}
