package config

import (
	"errors"
	"testing"
)

func FuzzConfig(f *testing.F) {
	f.Add([]byte("store: a\ntree: [a=b]\n"))
	f.Add([]byte("a: &x {b: *x}\n---\n- - - -"))
	f.Fuzz(func(t *testing.T, b []byte) {
		_, err := parse(b)
		if bad := (*fileError)(nil); err != nil && !errors.As(err, &bad) {
			t.Fatalf("no sentence: %v", err)
		}
	})
}
