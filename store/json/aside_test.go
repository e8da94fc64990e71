package jsonstore

import (
	"io"
	"testing"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/store"
)

// What cannot be built again and is damaged is kept in broken/ when it is dropped or saved anew; nothing else is.
func TestDamagedHeldDataIsSetAside(t *testing.T) {
	for name, aside := range map[string]bool{"briefs-aa": true, "inbox": true, "index-aa": false} {
		for _, damage := range []func([]byte) []byte{
			func(b []byte) []byte { return b[:len(b)-3] },
			func(b []byte) []byte { b[len(b)-1] ^= 1; return b },
			func(b []byte) []byte { return b[:40] },
			nil,
		} {
			for _, anew := range []bool{true, false} {
				fs := afero.NewMemMapFs()
				s, err := Open(t.Context(), fs, "/s", Options{})
				require.NoError(t, err)
				save := func(text string) {
					require.NoError(t, store.SaveDerived(t.Context(), s, name, 0, func(w io.Writer) error {
						_, err := io.WriteString(w, text)
						return err
					}))
				}
				save("what a model was paid for")
				file := "/s/" + derivedName(name, 1)
				was, err := afero.ReadFile(fs, file)
				require.NoError(t, err)
				if damage != nil {
					was = damage(was)
					require.NoError(t, afero.WriteFile(fs, file, was, 0o600))
				}
				if anew {
					save("the rest")
				} else {
					require.NoError(t, store.DropDerived(t.Context(), s, name, nil))
				}
				kept, err := afero.ReadFile(fs, "/s/broken/derived."+name+".000001")
				if aside && damage != nil {
					require.NoError(t, err, name)
					require.Equal(t, was, kept)
				} else {
					require.Error(t, err, name)
				}
				gone, err := afero.Exists(fs, file)
				require.NoError(t, err)
				require.False(t, gone)
				require.NoError(t, s.Close())
			}
		}
	}
}
