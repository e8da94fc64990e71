// Package say prints what a command has to print: sentences in the language of the user, results as text or as JSON,
// tables, pages, notes, errors and progress. It measures in terminal cells. Wrapped texts, tables and errors lose what
// could move the cursor or change a colour. The English sentences are literals in the commands; zh.po holds their
// Chinese.
package say

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/memtree/memtree/internal/po"
	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/internal/wording"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// Process holds the arguments, streams and environment of a command.
type Process struct {
	Args           []string
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Getenv         func(string) string
}

// Env returns the environment variable name without spaces around it.
func (p *Process) Env(name string) string { return strings.TrimSpace(p.Getenv(name)) }

// Voice prints the output of one command. It knows the command's streams, terminal and language, and whether to print
// JSON.
type Voice struct {
	Process
	Terminal
	Lang    string // "zh" or "en"
	BadLang string // an invalid value of --lang or MEMTREE_LANG; "": none
	JSON    bool   // print results as JSON
	Quiet   bool   // print results only

	// Explain returns the sentence for an error of the store, "" for other errors. It may be nil.
	Explain func(error) string

	words map[string]string // nil for English
}

//go:embed zh.po
var chineseFile string

// chinese returns the Chinese of each sentence by its English. It reads the file on first use, so that a command in
// English does not wait for it.
var chinese = sync.OnceValue(func() map[string]string {
	texts, err := po.Read(chineseEntries())
	if err != nil {
		panic("zh.po, " + err.Error()) // the file is embedded, and a test reads it
	}
	return texts
})

// chineseEntries returns the entries of the commands and of the libraries.
func chineseEntries() string { return chineseFile + "\n" + po.Library }

// New returns the Voice of a process. It finds the language before the flags are parsed, because help needs it too.
func New(p Process) *Voice {
	v := &Voice{Process: p, Lang: localeLang(p.Getenv)}
	if set := p.Getenv("MEMTREE_LANG"); set == "zh" || set == "en" {
		v.Lang = set
	} else {
		v.BadLang = set
	}
	for i, arg := range p.Args {
		value, ok := strings.CutPrefix(arg, "--lang=")
		if arg == "--lang" && i+1 < len(p.Args) {
			value, ok = p.Args[i+1], true
		}
		if arg == "--" {
			break
		}
		switch {
		case !ok:
		case value == "zh", value == "en":
			v.Lang, v.BadLang = value, ""
		default:
			v.BadLang = value
		}
	}
	if v.Lang == "zh" {
		v.words = chinese()
	}
	return v
}

// localeLang reads the language from the locale. POSIX defines the order of the variables.
func localeLang(getenv func(string) string) string {
	for _, name := range []string{"LC_ALL", "LC_MESSAGES", "LANG"} {
		if v := getenv(name); v != "" {
			if strings.HasPrefix(strings.ToLower(v), "zh") {
				return "zh"
			}
			return "en"
		}
	}
	return "en"
}

// Say returns a sentence in the language of the user. english is a format for args, and a literal, so that a test can
// find all of them; for sentences of other packages use Tell or Because.
func (v *Voice) Say(english string, args ...any) string { return v.Tell(english, args) }

// Tell returns a sentence of another package in the language of the user. args are the arguments of the format.
func (v *Voice) Tell(sentence string, args []any) string {
	if other, ok := v.words[sentence]; ok {
		sentence = other
	}
	if len(args) == 0 {
		return sentence
	}
	return fmt.Sprintf(sentence, args...)
}

// Because returns a sentence of another package in the language of the user. In values, levels and directions are
// replaced by their names for people.
func (v *Voice) Because(sentence string, values []any) string {
	args := make([]any, len(values))
	for i, arg := range values {
		switch x := arg.(type) {
		case tree.Type:
			args[i] = v.Names().Level(x)
		case taxonomy.Direction:
			args[i] = v.DirectionName(x)
		default:
			args[i] = x
		}
	}
	return v.Tell(sentence, args)
}

// Names returns the names of values in the language of v.
func (v *Voice) Names() wording.Names { return wording.Names{Lang: v.Lang, Say: v.Say} }

// DirectionName returns the name of a direction for people.
func (v *Voice) DirectionName(d taxonomy.Direction) string { return d.Name().In(v.Lang) }

// Page returns an Output without lines, as wide as the terminal of v.
func (v *Voice) Page() *Output { return &Output{Terminal: v.Terminal} }

// Print prints lines on standard output.
func (v *Voice) Print(lines ...string) error { return WriteLines(v.Stdout, lines...) }

// PrintJSON prints value on standard output as indented JSON.
func (v *Voice) PrintJSON(value any) error {
	b, err := Indented(value)
	if err != nil {
		return fmt.Errorf("print JSON: %w", err)
	}
	_, err = v.Stdout.Write(b)
	return err
}

// Indented returns value as indented JSON with a line break at its end, without escapes for HTML.
func Indented(value any) ([]byte, error) {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(value)
	return []byte(b.String()), err
}

// Result prints the result of a command on standard output: value as JSON with the flag --json, else lines.
func (v *Voice) Result(value any, lines ...string) error {
	if v.JSON {
		return v.PrintJSON(value)
	}
	return v.Print(lines...)
}

// Complain prints an error on standard error, after "memtree: " and on one line.
func (v *Voice) Complain(sentence string) {
	v.Remark("memtree: " + text.Line(sentence))
}

// Note prints a remark on standard error that is not part of the result. With the flag --quiet it prints nothing.
func (v *Voice) Note(sentence string) {
	if !v.Quiet {
		v.Remark(sentence)
	}
}

// Remark prints s on standard error. On a terminal it wraps the text; otherwise it does not, for programs that look for
// file:line.
func (v *Voice) Remark(s string) {
	if v.Live {
		s = strings.Join(v.Wrap(s), "\n")
	}
	// If standard error is closed, there is nowhere to report it.
	_, _ = fmt.Fprintln(v.Stderr, s)
}

// Progress returns a ProgressBar for a job that begins now. count formats its numbers. It draws on a terminal only, and
// nothing with --quiet or --json.
func (v *Voice) Progress(label string, count func(int64) string) *ProgressBar {
	if v.Live && !v.Quiet && !v.JSON {
		return newProgress(v.Stderr, label, count)
	}
	return newProgress(nil, label, count)
}
