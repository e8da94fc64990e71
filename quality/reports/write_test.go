package reports

import (
	"archive/zip"
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// generator writes made-up reports. It is deterministic.
type generator struct {
	r *rand.Rand
	n int // tests so far
}

func newGenerator() *generator { return &generator{r: rand.New(rand.NewPCG(18, 1))} }

var words = strings.Fields("cart order total line sum coupon page list filter customer invoice refund button " +
	"shows adds takes removes opens closes 购物车 订单 合计 优惠券 按钮 页面 列表 筛选 显示 导出")

// text returns about n words that compress as badly as natural text.
func (g *generator) text(n int) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(words[g.r.IntN(len(words))])
		if i%3 == 0 {
			fmt.Fprintf(&b, "%x", g.r.Uint32())
		}
	}
	return b.String()
}

func (g *generator) at() time.Time {
	return time.Date(2026, 1, 28, 9, 0, 0, 0, time.UTC).Add(time.Duration(g.n) * time.Millisecond)
}

func (g *generator) fails() bool { return g.r.IntN(10) == 0 }

// counter counts the written bytes.
type counter struct {
	w io.Writer
	n int64
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err //nolint:wrapcheck // io.Writer's contract
}

// shape is the form of a report: a beginning, repeated units, and an end.
type shape struct {
	begin, between, end string
	unit                func(g *generator) string // one test or more
}

// write writes a report of at least size bytes and returns the number of its tests.
func (s *shape) write(path string, size int64) (int, error) {
	f, err := os.Create(path) //nolint:gosec // in a folder of the test
	if err != nil {
		return 0, fmt.Errorf("make a report: %w", err)
	}
	defer f.Close()
	b := bufio.NewWriter(f)
	n, err := s.to(b, size)
	if err == nil {
		err = b.Flush()
	}
	return n, err
}

func (s *shape) to(w io.Writer, size int64) (int, error) {
	g, c := newGenerator(), &counter{w: w}
	_, err := io.WriteString(c, s.begin)
	for first := true; err == nil && c.n < size; first = false {
		if !first {
			_, _ = io.WriteString(c, s.between)
		}
		_, err = io.WriteString(c, s.unit(g))
	}
	if err == nil {
		_, err = io.WriteString(c, s.end)
	}
	return g.n, err //nolint:wrapcheck // the file's own
}

// writeZip writes an archive of at least size bytes on disk. part returns its next file.
func writeZip(path string, size int64, method uint16, first map[string]string,
	part func(g *generator) (name, content string),
) (int, error) {
	f, err := os.Create(path) //nolint:gosec // in a folder of the test
	if err != nil {
		return 0, fmt.Errorf("make a report: %w", err)
	}
	defer f.Close()
	c, g := &counter{w: f}, newGenerator()
	z := zip.NewWriter(c)
	add := func(name, content string) {
		w, err2 := z.CreateHeader(&zip.FileHeader{Name: name, Method: method})
		if err == nil {
			err = err2
		}
		if err == nil {
			_, err = io.WriteString(w, content)
		}
	}
	for name, content := range first {
		add(name, content)
	}
	for err == nil && c.n < size {
		add(part(g))
	}
	if err == nil {
		err = z.Close()
	}
	return g.n, err
}

// writeFolder writes a folder of files with at least size bytes in all.
func writeFolder(path string, size int64, one func(g *generator) (name, content string)) (int, error) {
	if err := os.MkdirAll(path, 0o750); err != nil {
		return 0, err //nolint:wrapcheck // it names the folder
	}
	g := newGenerator()
	for n := int64(0); n < size; {
		name, content := one(g)
		if err := os.WriteFile(filepath.Join(path, name), []byte(content), 0o600); err != nil {
			return 0, err //nolint:wrapcheck // it names the file
		}
		n += int64(len(content))
	}
	return g.n, nil
}
