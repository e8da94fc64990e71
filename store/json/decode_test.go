package jsonstore

import (
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/tree"
)

// fillAny sets all that v has to something, deeper values with less and less to them.
func fillAny(r *rand.Rand, v reflect.Value, depth int) {
	texts := []string{"", "a", "收货地址", "line\nbreak \"x\" \\", "<&>\u2028", "c_4f", "{[\":,"}
	if v.Type() == reflect.TypeFor[time.Time]() {
		v.Set(reflect.ValueOf(time.Unix(r.Int64N(1e9), r.Int64N(2)*5e6).In(time.FixedZone("", int(r.Int64N(3))*1800))))
		return
	}
	if v.Type() == reflect.TypeFor[tree.Raw]() {
		v.SetBytes([]byte([]string{`null`, `"x"`, `{"a":[1,{"b":"]"}]}`, `-1.5e3`}[r.IntN(4)]))
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() && r.IntN(4) > 0 {
				fillAny(r, v.Field(i), depth+1)
			}
		}
	case reflect.Pointer:
		if r.IntN(depth+1) < 3 {
			v.Set(reflect.New(v.Type().Elem()))
			fillAny(r, v.Elem(), depth)
		}
	case reflect.Slice:
		for range r.IntN(4) {
			v.Set(reflect.Append(v, reflect.New(v.Type().Elem()).Elem()))
			fillAny(r, v.Index(v.Len()-1), depth+1)
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for range r.IntN(3) {
			key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			fillAny(r, key, depth)
			fillAny(r, value, depth)
			v.SetMapIndex(key, value)
		}
	case reflect.String:
		v.SetString(texts[r.IntN(len(texts))])
	case reflect.Bool:
		v.SetBool(r.IntN(2) == 0)
	case reflect.Int, reflect.Int64:
		v.SetInt(r.Int64N(1e6) - 100)
	case reflect.Uint64:
		v.SetUint(r.Uint64())
	case reflect.Float64:
		v.SetFloat(r.NormFloat64())
	}
}

// inLines returns a new zero value of each type that lines hold.
func inLines() []any {
	return []any{&tree.Node{}, &ledger.Entry{}, &tree.Evaluation{}, &tree.Change{}, &store.DeadLetter{}}
}

// TestPlain: what this package writes is plain, and means what encoding/json reads in it.
func TestPlain(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		for _, v := range inLines() {
			of := reflect.TypeOf(v).Elem()
			fillAny(r, reflect.ValueOf(v).Elem(), 0)
			raw, err := encode(v)
			require.NoError(t, err)
			want, got := reflect.New(of), reflect.New(of)
			require.NoError(t, json.Unmarshal(raw, want.Interface()))
			end, ok := plainOf(of)(raw, 0, got.Elem())
			require.True(t, ok, "%s", raw)
			require.Equal(t, len(raw), end)
			require.Equal(t, want.Interface(), got.Interface())
		}
	}
}

// sameAs decodes a line into each type that lines hold, and compares the results with those of encoding/json.
func sameAs(t *testing.T, raw []byte) {
	t.Helper()
	for _, got := range inLines() {
		want := reflect.New(reflect.TypeOf(got).Elem()).Interface()
		wrong, err := json.Unmarshal(raw, want), decode(raw, got)
		if wrong != nil {
			require.ErrorContains(t, err, wrong.Error())
			continue
		}
		require.NoError(t, err, "%s", raw)
		require.Equal(t, want, got, "%s", raw)
	}
}

// TestPlainOfOthers: what is not plain is read all the same, or refused, as encoding/json does.
func TestPlainOfOthers(t *testing.T) {
	for _, raw := range []string{
		``, `null`, `{}`, `{"id":"a"} `, `{"id":"a"}x`, `{"id":"a",}`, `{"ID":"a"}`, `{"id":"a","id":"b"}`,
		`{"id":null,"children":null,"credit":null,"counters":null}`, `{"new":{"a":[1]},"id":"a"}`, `{"id":"a` + "\x01" + `"}`,
		`{"i\u0064":"a"}`, `{"id":"` + "\xff" + `"}`, `{"level":1.0}`, `{"level":01}`, `{"level":+1}`, `{"level":-}`,
		`{"level":"1"}`, `{"level":1e2}`,
		`{"level":99999999999999999999}`, `{"seq":-1}`, `{"children":["a",]}`, `{"children":["a" ,"b"]}`, `{"children":{}}`,
		`{"content":{"confidence":Inf}}`, `{"content":{"confidence":1e999}}`, `{"content":{"confidence":0x1p-2}}`,
		`{"at":"2026-01-01"}`, `{"at":null}`, `{"caseData":{"testCase":{"ground_truth":{"a":}}}}`, `{"ground_truth":[1,2}`,
		`{"caseData":{"testCase":{"ground_truth":{"a":[]}}},"id":"b"}`, `{"children":["a","b"],"id":"b"}`, `{"content":null}`,
		`{"caseData":{"misses":[{"how":"x"},null,{}]}}`, `{"id":"\ud800","type":"\n"}`, `{"id":"a\"}`, `[]`, `{"id"}`,
		`{"id":}`,
	} {
		sameAs(t, []byte(raw))
	}
	r := rand.New(rand.NewPCG(3, 4))
	for range 2000 { // lines with a few bytes changed
		v := inLines()[r.IntN(5)]
		fillAny(r, reflect.ValueOf(v).Elem(), 1)
		raw, err := encode(v)
		require.NoError(t, err)
		for range 1 + r.IntN(3) {
			at, with := r.IntN(len(raw)), []byte(`"\{}[]:,01.e-nI `+"\x00\xff")
			raw[at] = with[r.IntN(len(with))]
		}
		sameAs(t, raw)
	}
}

func FuzzPlain(f *testing.F) {
	f.Add([]byte(`{"id":"a","level":1,"children":["b"],"metadata":{"createdAt":"2026-01-01T00:00:00Z"}}`))
	f.Fuzz(sameAs)
}
