package prompts

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"
	"sync"
	"text/template"
)

//go:embed templates/*.tmpl
var builtin embed.FS

// Set holds the templates of all prompts. It is safe for concurrent use.
type Set struct {
	templates map[string]loader // by id, such as "analyse.en"
}

// loader loads a template when it is first called, once.
type loader func() (loadedTemplate, error)

type loadedTemplate struct {
	tmpl    *template.Template
	version string
}

// Load returns the templates. It parses each of them only when it is first used.
func Load() *Set { return theSet() }

// theSet has a loader for each embedded file. A process uses few of them, and none without a model but for guidance.
var theSet = sync.OnceValue(func() *Set {
	files, _ := fs.Glob(builtin, "templates/*.tmpl") // fails for a malformed pattern only
	s := &Set{templates: make(map[string]loader, len(files))}
	for _, name := range files {
		s.templates[strings.TrimSuffix(path.Base(name), ".tmpl")] = sync.OnceValues(func() (loadedTemplate, error) {
			return loadFile(name)
		})
	}
	return s
})

func loadFile(name string) (loadedTemplate, error) {
	b, err := builtin.ReadFile(name)
	if err != nil {
		return loadedTemplate{}, err
	}
	base := path.Base(name)
	text := strings.ReplaceAll(string(b), "\r\n", "\n") // a checkout with CRLF line ends has the same version
	version, err := parseVersion(base, text)
	if err != nil {
		return loadedTemplate{}, err
	}
	root, err := template.New(base).Option("missingkey=error").Parse(text)
	return loadedTemplate{tmpl: root, version: version}, err // it names file and line
}

// parseVersion returns the number in the first line, {{- /* version 1 */ -}}, and a hash
// of the content.
func parseVersion(name, text string) (string, error) {
	first, _, _ := strings.Cut(text, "\n")
	words := strings.Fields(strings.Trim(first, "{}-/* "))
	if len(words) >= 2 && words[0] == "version" && strings.Contains(first, "/*") {
		if n, err := strconv.Atoi(words[1]); err == nil && n > 0 {
			sum := sha256.Sum256([]byte(text))
			return fmt.Sprintf("%d+%s", n, hex.EncodeToString(sum[:4])), nil
		}
	}
	return "", fmt.Errorf("%s:1: the first line must be {{- /* version N */ -}} with a number", name)
}

// fill executes both parts of the template.
func (t loadedTemplate) fill(fields any) (system, text string, err error) {
	var b strings.Builder
	if err := t.tmpl.ExecuteTemplate(&b, "system", fields); err != nil {
		return "", "", err
	}
	system = strings.TrimSpace(b.String())
	b.Reset()
	if err := t.tmpl.ExecuteTemplate(&b, "text", fields); err != nil {
		return "", "", err
	}
	return system, strings.TrimSpace(b.String()), nil
}
