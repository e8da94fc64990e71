package formation

import (
	"crypto/pbkdf2"
	"crypto/sha256"
	"slices"
	"strings"

	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/tree"
)

// Redact returns the evaluation with every text that looks like a secret replaced by [redacted:kind], and the number
// of replacements. Call it before anything is stored, sent or logged. JSON stays valid and the names of its fields are
// unchanged. Redacting twice is the same as redacting once. The caller's slices are not changed.
//
// An id with a secret in it becomes a hash of itself, so that it still distinguishes evaluations. An evaluation without
// an id gets one if redaction changes the texts that its key is made of, see [secretID].
func Redact(e tree.Evaluation) (tree.Evaluation, int) {
	total, came := 0, e
	clean := func(s *string, limit int) {
		r, n := RedactText(*s)
		if n > 0 && len(*s) <= limit { // a marker may be longer than the text it replaces
			r = text.ClipBytes(r, limit)
		}
		*s = r
		total += n
	}
	if _, n := RedactText(e.ID); n > 0 {
		e.ID = "v_" + tree.Hash(e.ID)
		total += n
	}
	for _, s := range []*string{&e.Prompt, &e.Observation, &e.Reason} {
		clean(s, tree.MaxField)
	}
	for _, s := range []*string{
		&e.RunID, &e.CaseID, &e.Scene.ID, &e.Scene.Type, &e.Scene.Route,
		&e.Scope.Product, &e.Scope.Suite, &e.Scope.Test, &e.Scope.Build,
		&e.Agent.Name, &e.Agent.Version, &e.Agent.Model, &e.Trial,
	} {
		clean(s, tree.MaxName)
	}
	if slices.ContainsFunc(e.Scope.SuiteTests, func(s string) bool { return suspicious(s) }) {
		e.Scope.SuiteTests = slices.Clone(e.Scope.SuiteTests)
		for i := range e.Scope.SuiteTests {
			clean(&e.Scope.SuiteTests[i], tree.MaxName)
		}
	}
	e.Evidence = e.Evidence.Clone()
	for t, limit := range e.Evidence.Texts() {
		clean(t, limit)
	}
	e.Evidence.DropUnsafe()
	for _, r := range []*tree.Raw{&e.Judgment, &e.GroundTruth} {
		v, n := redactJSON(*r)
		if n > 0 && len(v) > tree.MaxField && len(*r) <= tree.MaxField {
			v = tree.Quote(marker("too long"))
		}
		*r = v
		total += n
	}
	if total > 0 && e.ID == "" {
		e.ID = secretID(&came, &e)
	}
	return e, total
}

// guessRounds is the number of rounds of SHA-256 that one guess of a redacted secret takes: about 4 ms.
const guessRounds = 1 << 14

// secretID returns the id of an evaluation that came without one: "" if redaction left its key as it was. Else two
// evaluations that only their secrets distinguish would have one key, so the id is a hash of the key that came. The
// hash is slow (PBKDF2, RFC 8018) and salted with the redacted key: a stored id is no cheap way to guess a password.
func secretID(came, redacted *tree.Evaluation) string {
	key, salt := came.Key(), redacted.Key()
	if key == salt {
		return ""
	}
	b, err := pbkdf2.Key(sha256.New, key, []byte(salt), guessRounds, sha256.Size)
	if err != nil { // only in a mode of FIPS 140 that forbids it
		return "v_" + tree.Hash(key, salt)
	}
	return "v_" + tree.Hash(string(b))
}

// RedactText replaces what looks like a secret in s by [redacted:kind], and returns the number of replacements.
func RedactText(s string) (string, int) {
	if !suspicious(s) {
		return s, 0
	}
	spans := secrets(s)
	if len(spans) == 0 {
		return s, 0
	}
	var b strings.Builder
	at, n := 0, 0
	for _, p := range spans {
		if p.from < at { // it begins inside the one before, and may end after it
			at = max(at, p.to)
			continue
		}
		b.WriteString(s[at:p.from])
		b.WriteString(marker(p.kind))
		at = p.to
		n++
	}
	b.WriteString(s[at:])
	return b.String(), n
}

func marker(kind string) string { return "[redacted:" + kind + "]" }

// redactJSON redacts the strings of a JSON value and copies its other bytes. Text that is not JSON is redacted as
// text.
func redactJSON(r tree.Raw) (tree.Raw, int) {
	if len(r) == 0 || !suspicious(string(r)) {
		return r, 0
	}
	if r.Check() != nil {
		s, n := RedactText(string(r))
		return tree.Raw(s), n
	}
	return r.Replace(func(x tree.Scalar) (string, int) {
		switch {
		case x.Number:
			return x.Text, 0
		case !x.Listed && x.Field != "":
			if kind := secretName(x.Field); kind != "" && secretValue(x.Text, kind) {
				return marker(kind), 1
			}
		}
		return RedactText(x.Text)
	})
}
