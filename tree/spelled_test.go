package tree

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzSpelledOut checks that isCanonical accepts no JSON that is not canonical.
func FuzzSpelledOut(f *testing.F) {
	for _, s := range []string{`{"a":1,"b":[{"c":"d"},{"a":null}]}`, `{"b":1,"a":2}`, `{"a":1,"a":2}`,
		`[1.0,-0,1e3,true,"é"]`, `{"":{"":0}}`, `"\u2028"`, ` 1`, `"\\"`, `{"a":"b","a b":1}`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		r := Raw(s)
		if isCanonical(r) && json.Valid(r) {
			dec := json.NewDecoder(strings.NewReader(s))
			dec.UseNumber()
			var v any
			require.NoError(t, dec.Decode(&v))
			require.Equal(t, s, string(appendCanonical(nil, v)))
		}
		require.Equal(t, r.Canonical(), r.Canonical().Canonical())
	})
}
