package tree

import (
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestClone fills every field of a node by reflection, so that no new field is forgotten.
func TestClone(t *testing.T) {
	var n Node
	fill(reflect.ValueOf(&n).Elem())
	c := n.Clone()
	require.Equal(t, n, c)
	sharesNothing(t, reflect.ValueOf(n), reflect.ValueOf(c), "Node")
	var none Node
	require.Equal(t, none, none.Clone(), "what is absent stays absent")
	empty := Node{Children: []string{}, Counters: map[string]Counters{}}
	require.Equal(t, empty, empty.Clone())
}

// fill gives every part of v a value that is not zero.
func fill(v reflect.Value) {
	if v.Type() == reflect.TypeFor[time.Time]() {
		v.Set(reflect.ValueOf(time.Unix(1e9, 0).UTC()))
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for _, f := range v.Fields() {
			fill(f)
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem())
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 4))
		for i := range v.Len() {
			fill(v.Index(i))
		}
	case reflect.Map:
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fill(key)
		fill(value)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, value)
	case reflect.String:
		v.SetString("x")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Float64:
		v.SetFloat(.5)
	case reflect.Uint8:
		v.SetUint('1')
	default:
		v.SetInt(7)
	}
}

// sharesNothing fails if two equal values share memory.
func sharesNothing(t *testing.T, a, b reflect.Value, path string) {
	if a.Type() == reflect.TypeFor[time.Time]() {
		return
	}
	switch a.Kind() {
	case reflect.Struct:
		for i := range a.NumField() {
			sharesNothing(t, a.Field(i), b.Field(i), path+"."+a.Type().Field(i).Name)
		}
	case reflect.Pointer:
		require.NotEqual(t, a.Pointer(), b.Pointer(), path)
		sharesNothing(t, a.Elem(), b.Elem(), path)
	case reflect.Slice:
		require.NotEqual(t, a.Pointer(), b.Pointer(), path)
		for i := range a.Len() {
			sharesNothing(t, a.Index(i), b.Index(i), path+"[]")
		}
	case reflect.Map:
		require.NotEqual(t, a.Pointer(), b.Pointer(), path)
		for _, k := range a.MapKeys() {
			require.NotContains(t, []reflect.Kind{reflect.Slice, reflect.Map, reflect.Pointer}, a.MapIndex(k).Kind(), path)
		}
	}
}
