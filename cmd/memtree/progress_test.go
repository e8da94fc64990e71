package main

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
		a := &app{process: process{stderr: &out}, screen: screen{live: true}}
		p := a.progress("recording", plainCount)
		time.Sleep(900 * time.Millisecond)
		p.step(40, 100)
		p.end()
		require.Empty(t, out.String(), "a short job draws nothing")
		time.Sleep(200 * time.Millisecond)
		p.step(50, 100)
		require.Equal(t, "\r\x1b[Krecording [############............]  50%  50 / 100", out.String())
		p.step(51, 100)
		require.NotContains(t, out.String(), "51", "not more often than it can be read")
		time.Sleep(redraw)
		p.step(60, 0)
		require.Contains(t, out.String(), "\r\x1b[Krecording 60")
		p.end()
		require.True(t, bytes.HasSuffix(out.Bytes(), []byte("\r\x1b[K")), "it leaves nothing behind")
	})
}

func TestProgressIsSilent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, a := range []*app{{}, {screen: screen{live: true}, quiet: true}, {screen: screen{live: true}, json: true}} {
			var out bytes.Buffer
			a.stderr = &out
			p := a.progress("recording", plainCount)
			time.Sleep(2 * time.Second)
			p.step(1, 2)
			p.end()
			require.Empty(t, out.String())
		}
	})
}

func TestByteCount(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0 B", 1023: "1023 B", 1024: "1.0 kB", 1536: "1.5 kB", 5 << 20: "5.0 MB", 3 << 30: "3.0 GB",
	} {
		require.Equal(t, want, byteCount(n))
	}
}
