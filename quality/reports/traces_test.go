//go:build unix

package reports

import (
	"archive/zip"
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestBigTraces adds a trace of Playwright and an HTTP archive of MEMTREE_BIG megabytes to a map with the command, and
// checks that its peak memory is below the limit. make reports runs it.
func TestBigTraces(t *testing.T) {
	size, bin := bigness(t)
	for name, write := range map[string]func(w io.Writer, size int64){"trace.zip": writeTrace, "walk.har": writeHAR} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, name)
			f, err := os.Create(path)
			require.NoError(t, err)
			write(f, size<<20)
			require.NoError(t, f.Close())
			info, err := os.Stat(path)
			require.NoError(t, err)
			require.GreaterOrEqual(t, info.Size(), size<<20)
			run := func(args ...string) (*exec.Cmd, []byte) {
				c := exec.CommandContext(t.Context(), bin, args...)
				c.Env = append(os.Environ(), "MEMTREE_STORE="+filepath.Join(dir, "store"))
				out, err := c.Output()
				require.NoError(t, err, "%s %s", out, stderr(err))
				return c, out
			}
			run("init")
			start := time.Now()
			c, out := run("map", "add", path, "--product", "shop", "--json")
			var got struct{ Walks, Sightings int }
			require.NoError(t, json.Unmarshal(out, &got))
			require.Positive(t, got.Sightings)
			peak := peakOf(c)
			t.Logf("%-10s %4d MB %8d sightings %6.1f s %4d MiB at the peak", name, info.Size()>>20, got.Sightings,
				time.Since(start).Seconds(), peak)
			require.LessOrEqual(t, peak, int64(mostMemory))
		})
	}
}

// writeTrace writes a trace: a click and a snapshot of 30 kB for each step, over 40 pages, as stored.
func writeTrace(f io.Writer, size int64) {
	z := zip.NewWriter(f)
	w, err := z.CreateHeader(&zip.FileHeader{Name: "0-trace.trace", Method: zip.Store})
	if err != nil {
		panic(err)
	}
	b := bufio.NewWriter(w)
	text := noise(30_000)
	fmt.Fprintln(b, `{"type":"context-options","title":"big test"}`)
	for n := int64(0); n < size; {
		i := n / 31_000
		url := fmt.Sprintf("https://shop.test/area%c/view%c", 'a'+i%8, 'a'+i/8%5)
		for _, line := range []string{
			fmt.Sprintf(`{"type":"before","callId":"call@%d","startTime":%d,"method":"click","params":{"selector":"#b%d"}}`,
				i, i, i%50),
			fmt.Sprintf(`{"type":"frame-snapshot","snapshot":{"callId":"call@%d","phase":"before",`+
				`"frameUrl":%q,"isMainFrame":true,`+
				`"html":["HTML",{},["BODY",{},["BUTTON",{"id":"b%d"},"Save %d"],["P",{},%q]]]}}`,
				i, url, i%50, i%50, text),
			fmt.Sprintf(`{"type":"log","callId":"call@%d","message":"waiting for getByRole('button', { name: 'Save %d' })"}`,
				i, i%50),
			fmt.Sprintf(`{"type":"after","callId":"call@%d","endTime":%d}`, i, i+3),
		} {
			m, _ := fmt.Fprintln(b, line)
			n += int64(m)
		}
	}
	if err := b.Flush(); err != nil {
		panic(err)
	}
	if err := z.Close(); err != nil {
		panic(err)
	}
}

// writeHAR writes an HTTP archive whose entries have bodies of 20 kB.
func writeHAR(f io.Writer, size int64) {
	b := bufio.NewWriter(f)
	body := noise(20_000)
	fmt.Fprint(b, `{"log":{"version":"1.2","creator":{"name":"test"},"entries":[`)
	for n := int64(0); n < size; {
		if n > 0 {
			fmt.Fprint(b, ",")
		}
		i := n / 20_000
		m, _ := fmt.Fprintf(b, `{"request":{"method":"GET","url":"https://shop.test/api/orders/%d?sid=%d",`+
			`"headers":[{"name":"Referer","value":"https://shop.test/area%c"}]},`+
			`"response":{"status":200,"content":{"mimeType":"application/json","text":%q}},"_resourceType":"fetch"}`,
			i, n, 'a'+i%20, body)
		n += int64(m)
	}
	fmt.Fprint(b, `]}}`)
	if err := b.Flush(); err != nil {
		panic(err)
	}
}

// noise returns letters that do not repeat.
func noise(n int) string {
	r := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // a text
	var b strings.Builder
	for range n {
		b.WriteByte(byte('a' + r.IntN(26)))
	}
	return b.String()
}
