package say

import (
	"bytes"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func TestProgressIsDrawnAfterASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		p := newProgress(&out, "recording", Count)
		time.Sleep(900 * time.Millisecond)
		p.Step(40, 100)
		p.End()
		require.Empty(t, out.String(), "a short job draws nothing")
		time.Sleep(200 * time.Millisecond)
		p.Step(50, 100)
		require.Equal(t, "\r\x1b[Krecording [############............]  50%  50 / 100", out.String())
		p.Step(51, 100)
		require.NotContains(t, out.String(), "51", "not more often than it can be read")
		time.Sleep(Redraw)
		p.Step(60, 0)
		require.Contains(t, out.String(), "\r\x1b[Krecording 60")
		p.End()
		require.True(t, bytes.HasSuffix(out.Bytes(), []byte("\r\x1b[K")), "it leaves nothing behind")
	})
}

func TestByteCount(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0 B", 1023: "1023 B", 1024: "1.0 kB", 1536: "1.5 kB", 5 << 20: "5.0 MB", 3 << 30: "3.0 GB",
	} {
		require.Equal(t, want, Bytes(n))
	}
}

func TestProgressIsSilent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, a := range []*Voice{{}, {Terminal: Terminal{Live: true}, Quiet: true},
			{Terminal: Terminal{Live: true}, JSON: true}} {
			var out bytes.Buffer
			a.Stderr = &out
			p := a.Progress("recording", Count)
			time.Sleep(2 * time.Second)
			p.Step(1, 2)
			p.End()
			require.Empty(t, out.String())
		}
	})
}
