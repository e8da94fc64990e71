package main

import (
	"os"
	"runtime"

	"golang.org/x/term"
)

// screen is what the terminal of an invocation can show.
type screen struct {
	width  int  // cells in a line of standard output
	colour bool // standard output takes colour
	live   bool // standard error is a terminal: progress may be drawn on it
}

// fullWidth is the width that tables are made for. On a narrower terminal they are cut.
const fullWidth = 80

func screenFor(p process) screen {
	s := screen{width: fullWidth}
	if f, ok := p.stdout.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		s.colour = p.getenv("NO_COLOR") == "" && p.getenv("TERM") != "dumb" && speaksANSI(p)
		if w, _, err := term.GetSize(int(f.Fd())); err == nil && w > 0 {
			s.width = max(40, min(w, fullWidth))
		}
	}
	if f, ok := p.stderr.(*os.File); ok {
		s.live = term.IsTerminal(int(f.Fd())) && p.getenv("TERM") != "dumb" && speaksANSI(p)
	}
	return s
}

// speaksANSI reports whether the terminal understands escape sequences from the start.
// Some consoles of Windows have to be switched first.
func speaksANSI(p process) bool {
	return runtime.GOOS != "windows" || p.getenv("WT_SESSION") != "" || p.getenv("TERM") != ""
}

// A style is an ANSI rendition.
type style string

const (
	bold   style = "1"
	dim    style = "2"
	red    style = "31"
	green  style = "32"
	yellow style = "33"
	cyan   style = "36"
)

func (s *screen) paint(st style, text string) string {
	if !s.colour || text == "" {
		return text
	}
	return "\x1b[" + string(st) + "m" + text + "\x1b[0m"
}
