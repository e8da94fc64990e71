package tape

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/llm"
)

// FuzzDecode: a decoded recording is within its limits, encodes to the same bytes, and can be played.
func FuzzDecode(f *testing.F) {
	for _, s := range []string{
		`{"format":1,"name":"n@1","model":"m","usage":{"inputTokens":1,"outputTokens":2},"answer":{"a":1}}`,
		`{"format":1,"name":"n","model":"m","usage":{},"failure":"malformed","text":"{\"a\":"}`,
		`{"format":1,"name":"n","model":"m","usage":{},"failure":"refused"}`,
		`{"format":1,"name":"embed","model":"m","usage":{},"vector":"AACAPw=="}`,
		`{"format":1,"name":"embed","model":"m","usage":{},"vector":"AADAfw=="}`,
		`{"format":1}`, `[`, `{"format":1,"answer":null}`,
		`{"format":1,"name":"n","model":"m","usage":{},"answer":"{\"a\":1}"}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		c, err := decode(b)
		if err != nil {
			return
		}
		written, err := c.encode()
		require.NoError(t, err)
		again, err := decode(written)
		require.NoError(t, err)
		twice, err := again.encode()
		require.NoError(t, err)
		require.Equal(t, string(written), string(twice))
		if c.Vector != nil {
			require.True(t, isVector(c.Vector))
			return
		}
		a, err := c.play(llm.Request{})
		if err != nil {
			require.Contains(t, []llm.ErrorKind{llm.KindMalformed, llm.KindRefused, llm.KindTruncated, llm.KindTooLarge},
				llm.KindOf(err))
			return
		}
		require.NotEmpty(t, a.JSON)
		require.NotEmpty(t, a.Model)
	})
}
