package main

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// progress draws a bar on a terminal's standard error once a job has taken a
// second. Nobody else sees anything of it.
type progress struct {
	w     io.Writer // nil: draw nothing
	now   func() time.Time
	label string
	count func(n int64) string // how a number is written
	begun time.Time
	drawn time.Time
}

const (
	patience = time.Second
	redraw   = 100 * time.Millisecond
	barCells = 24
)

// progress returns a bar for a job that begins now.
func (a *app) progress(label string, count func(int64) string) *progress {
	p := &progress{now: time.Now, label: label, count: count}
	if a.live && !a.quiet && !a.json {
		p.w = a.stderr
	}
	p.begun = p.now()
	return p
}

// step shows that done of total is done; a total of 0 is not known.
func (p *progress) step(done, total int64) {
	if p.w == nil {
		return
	}
	now := p.now()
	if now.Sub(p.begun) < patience || now.Sub(p.drawn) < redraw {
		return
	}
	p.drawn = now
	line := p.label + " " + p.count(done)
	if total > 0 {
		done = min(done, total)
		full := int(done * barCells / total)
		line = fmt.Sprintf("%s [%s%s] %3d%%  %s / %s", p.label,
			strings.Repeat("#", full), strings.Repeat(".", barCells-full), done*100/total, p.count(done), p.count(total))
	}
	// Drawing is a courtesy: a terminal that went away is no reason to stop.
	_, _ = io.WriteString(p.w, "\r\x1b[K"+line)
}

// end wipes the bar.
func (p *progress) end() {
	if p.w != nil && !p.drawn.IsZero() {
		_, _ = io.WriteString(p.w, "\r\x1b[K")
		p.drawn = time.Time{}
	}
}

func plainCount(n int64) string { return fmt.Sprint(n) }

// byteCount writes a size as people read it.
func byteCount(n int64) string {
	const k = 1024
	switch {
	case n < k:
		return fmt.Sprintf("%d B", n)
	case n < k*k:
		return fmt.Sprintf("%.1f kB", float64(n)/k)
	case n < k*k*k:
		return fmt.Sprintf("%.1f MB", float64(n)/(k*k))
	}
	return fmt.Sprintf("%.1f GB", float64(n)/(k*k*k))
}
