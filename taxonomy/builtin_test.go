package taxonomy

import (
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/internal/golden"
)

// TestBuiltin compares builtin.bin with builtin.yaml and checks/*.yaml, and writes it with -update.
func TestBuiltin(t *testing.T) {
	tax := &Taxonomy{}
	files, err := filepath.Glob("checks/*.yaml")
	require.NoError(t, err)
	var checks document
	for _, name := range append([]string{"builtin.yaml"}, files...) { // sorted
		source, err := os.ReadFile(name)
		require.NoError(t, err)
		doc, unread, err := decode(name, source)
		require.NoError(t, err)
		require.Empty(t, unread)
		if name != "builtin.yaml" {
			checks.checks = append(checks.checks, doc.checks...)
			continue
		}
		var unfit []*ParseError
		tax, unfit = doc.onto(name, tax)
		require.Empty(t, unfit)
	}
	tax, unfit := checks.onto("checks", tax)
	require.Empty(t, unfit)
	set := stored{tax.groups, tax.errors, tax.scenes, tax.checks}
	b := appendFlat(nil, reflect.ValueOf(set))
	golden.Equal(t, "builtin.bin", string(b))
	var again stored
	require.NoError(t, readFlat(string(b), &again))
	require.Equal(t, b, appendFlat(nil, reflect.ValueOf(again)))
	require.Equal(t, len(set.Checks), len(again.Checks))
	require.Equal(t, set.Checks[7].Asked, again.Checks[7].Asked)
	require.Equal(t, set.Scenes, again.Scenes)
}

// FuzzFlat: no bytes make the reader panic, and what it reads is written as it was, but for lengths that were not the
// shortest.
func FuzzFlat(f *testing.F) {
	f.Add(builtinSet[:2000])
	small := stored{Groups: []errorGroup{{ID: "a"}}, Checks: []Check{{Asked: []Cue{{"x", 3}}}}}
	f.Add(string(appendFlat(nil, reflect.ValueOf(small))))
	f.Add("")
	f.Fuzz(func(t *testing.T, s string) {
		var got, again stored
		if readFlat(s, &got) != nil {
			return
		}
		b := appendFlat(nil, reflect.ValueOf(got))
		require.LessOrEqual(t, len(b), len(s))
		require.NoError(t, readFlat(string(b), &again))
		require.Equal(t, b, appendFlat(nil, reflect.ValueOf(again)))
	})
}

// TestExamples: every check has a file of sentences, every file a check, and they are of a kind that there is.
func TestExamples(t *testing.T) {
	files, err := exampleFiles.ReadDir("examples")
	require.NoError(t, err)
	require.Len(t, files, len(Default().checks))
	for _, c := range Default().checks {
		require.NotEmpty(t, c.Sentences().Said, c.ID)
	}
	bad := fstest.MapFS{"examples/layout.txt": {Data: []byte("a comment\n== said\nOne.\n\n== sung\nTwo.\n")}}
	_, err = readExamples(bad, "layout")
	require.ErrorContains(t, err, `examples/layout.txt, line 5: there is no kind of sentence "sung"`)
}

// appendFlat writes a value of structs, slices, strings and float64.
func appendFlat(b []byte, v reflect.Value) []byte {
	switch v.Kind() { //nolint:exhaustive // flat panics for others
	case reflect.String:
		return append(binary.AppendUvarint(b, uint64(v.Len())), v.String()...) //nolint:gosec // not negative
	case reflect.Float64:
		return binary.LittleEndian.AppendUint64(b, math.Float64bits(v.Float()))
	case reflect.Slice:
		b = binary.AppendUvarint(b, uint64(v.Len())) //nolint:gosec // not negative
		for i := range v.Len() {
			b = appendFlat(b, v.Index(i))
		}
		return b
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				b = appendFlat(b, v.Field(i))
			}
		}
		return b
	default:
		panic("taxonomy: a field of the built-in set has a type that is not stored: " + v.Type().String())
	}
}
