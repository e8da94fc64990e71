package input

import (
	"errors"
	"testing"
)

func FuzzConfig(f *testing.F) {
	f.Add([]byte("store: a\ntree: [a=b]\n"))
	f.Add([]byte("a: &x {b: *x}\n---\n- - - -"))
	f.Fuzz(func(t *testing.T, b []byte) {
		_, err := parseConfig(b)
		if bad := (*configError)(nil); err != nil && !errors.As(err, &bad) {
			t.Fatalf("no sentence: %v", err)
		}
	})
}
