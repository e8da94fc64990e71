package jsonstore

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestWritten: a value is written as encoding/json writes it, and what this package writes is mostly plain.
func TestWritten(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 300 {
		for _, v := range inLines() {
			fillAny(r, reflect.ValueOf(v).Elem(), 0)
			want, err := encodeOther(v)
			require.NoError(t, err)
			got, ok := writerOf(reflect.TypeOf(v))(nil, reflect.ValueOf(v))
			require.True(t, ok)
			require.Equal(t, string(want), string(got))
		}
	}
}

type shout string

func (s *shout) MarshalText() ([]byte, error) { return []byte(*s + "!"), nil }

// TestWrittenOfOthers: so is a value that is not plain, or it is refused with the same error.
func TestWrittenOfOthers(t *testing.T) {
	type inner struct{ A, b int }
	loud := shout("a")
	type all struct {
		inner
		Loud  *shout           `json:"loud"`
		Quiet shout            `json:",omitempty"`
		Text  int              `json:"text,string"`
		Key   map[string]*int  `json:"key,omitempty"`
		Other any              `json:"other,omitzero"`
		Bytes []byte           `json:"bytes"`
		Raw   json.RawMessage  `json:"raw,omitempty"`
		Small float32          `json:"small,omitempty"`
		None  [0]int           `json:"none,omitempty"`
		When  time.Time        `json:"when,omitzero"`
		Never string           `json:"-"`
		Till  *time.Time       `json:"till,omitzero"`
		Of    []map[string]any `json:"of"`
	}
	var noTime time.Time
	for _, v := range []any{
		nil, 1, "x", "<\u2028\xff>", &loud, loud, inner{1, 2}, &inner{},
		all{inner: inner{A: 1}, Quiet: "a", Loud: &loud}, &all{Quiet: "b"},
		all{Raw: []byte(`{ "a" : "<" }`)}, all{Raw: []byte(`{`)}, all{When: time.Now().AddDate(9999, 0, 0)},
		all{Small: float32(math.NaN())}, all{Small: 1e-7, Bytes: []byte("a"), Till: &noTime}, math.Inf(1),
		[]any{1, nil, "a"}, map[int]string{2: "b", 1: "a"}, struct{}{}, []int(nil), [2]bool{true}, time.Time{}, noTime,
		struct{ F func() }{func() {}}, uint8(3), [][]string{{}, nil}, struct {
			A []string `json:"a,omitempty"`
			B []string `json:"b,omitzero"`
			C *int     `json:"c,omitempty"`
			D inner    `json:"d,omitempty"` //nolint:modernize // what omitempty does there is tested
			E inner    `json:"e,omitzero"`
		}{A: []string{}, B: []string{}},
	} {
		want, wrong := encodeOther(v)
		got, err := encode(v)
		if wrong != nil {
			require.EqualError(t, err, wrong.Error())
			continue
		}
		require.NoError(t, err)
		require.Equal(t, string(want), string(got))
	}
}
