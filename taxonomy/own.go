package taxonomy

import (
	"crypto/sha256"
	"encoding/hex"
	"reflect"
	"slices"
	"strings"
)

// own begins the id of a check of a tree's own: one that no catalogue has, derived from a cause that several cases
// share. The rest is the cause in a few English words and a short hash of those cases, joined by underscores:
// own/unit_not_read_3f9a2c. Only the id is stored; its advice is the lesson about it.
const own = "own/"

const (
	maxOwn  = 64 // bytes of an id
	ownHash = 6  // digits of its hash
)

// OwnID returns the id of a check that a tree makes itself, because several of its cases have a cause in common that no
// check of the catalogue describes, such as own/unit_not_read_3f9a2c. The id is made of the English letters of cause
// and a hash of cases, which are ids in any order. It is "" if cause has no English letter.
func OwnID(cause string, cases []string) string {
	slug := ""
	for _, w := range strings.FieldsFunc(strings.ToLower(cause), func(r rune) bool { return r < 'a' || r > 'z' }) {
		if longer := strings.TrimPrefix(slug+"_"+w, "_"); len(own+longer)+1+ownHash <= maxOwn {
			slug = longer
		}
	}
	if slug == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(strings.Join(slices.Compact(slices.Sorted(slices.Values(cases))), "\n")))
	return own + slug + "_" + hex.EncodeToString(sum[:])[:ownHash]
}

// IsOwn reports whether id is that of a check of a tree's own, by its form: own/ and a name.
func IsOwn(id string) bool {
	rest, is := strings.CutPrefix(id, own)
	return is && len(id) <= maxOwn && slug(rest)
}

// OwnName returns the cause in the id of a check of a tree's own, in lower case with spaces, and "" for any other id.
func OwnName(id string) string {
	if !IsOwn(id) {
		return ""
	}
	rest := strings.TrimPrefix(id, own)
	if i := strings.LastIndexByte(rest, '_'); i > 0 && len(rest)-i-1 == ownHash {
		rest = rest[:i]
	}
	return strings.ReplaceAll(rest, "_", " ")
}

// TeamChecks returns the checks that the overlay adds or changes, in the order of the catalogue.
func (t *Taxonomy) TeamChecks() (out []Check) {
	if t == Default() {
		return nil
	}
	for _, c := range t.checks {
		if was, known := Default().Check(c.ID); !known || !reflect.DeepEqual(was, c) {
			out = append(out, c)
		}
	}
	return out
}
