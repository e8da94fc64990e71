package prompts

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"text/template"
	"unicode/utf8"
)

//go:embed templates/*.tmpl
var builtin embed.FS

// maxTemplate limits a template file, in bytes.
const maxTemplate = 64 << 10

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

// Load returns the built-in templates. It parses each of them only when it is first used. From the root of overlay,
// which may be nil, it reads templates that replace the built-in ones with the same file name (analyse.zh.tmpl). Load
// parses these at once and fills each with a sample. The error names every file that fails, with its line and the
// cause. A .tmpl file with another name is an error, because it would have no effect; files without .tmpl are ignored.
func Load(overlay fs.FS) (*Set, error) {
	base, err := loadBuiltin()
	if err != nil {
		return nil, err
	}
	if overlay == nil {
		return &Set{templates: base}, nil
	}
	s := &Set{templates: maps.Clone(base)}
	files, err := fs.Glob(overlay, "*.tmpl")
	if err != nil {
		return nil, fmt.Errorf("load prompts: %w", err)
	}
	var bad []error
	for _, name := range files {
		id := strings.TrimSuffix(name, ".tmpl")
		if _, known := base[id]; !known {
			bad = append(bad, fmt.Errorf("%s: there is no prompt of this name; use one of %s", name,
				strings.Join(slices.Sorted(maps.Keys(base)), ", ")))
			continue
		}
		t, err := loadFile(overlay, name)
		if err != nil {
			bad = append(bad, err)
			continue
		}
		s.templates[id] = func() (loadedTemplate, error) { return t, nil }
	}
	if len(bad) > 0 {
		return nil, fmt.Errorf("load prompts: %w", errors.Join(bad...))
	}
	return s, nil
}

// loadBuiltin returns the embedded templates. A process uses few of them, and none without a model but for guidance.
var loadBuiltin = sync.OnceValues(func() (map[string]loader, error) {
	files, err := fs.Glob(builtin, "templates/*.tmpl")
	if err != nil {
		return nil, fmt.Errorf("load prompts: %w", err)
	}
	all := make(map[string]loader, len(files))
	for _, name := range files {
		all[strings.TrimSuffix(path.Base(name), ".tmpl")] = sync.OnceValues(func() (loadedTemplate, error) {
			return loadFile(builtin, name)
		})
	}
	return all, nil
})

func loadFile(fsys fs.FS, name string) (loadedTemplate, error) {
	base := path.Base(name)
	text, err := readFile(fsys, name)
	if err != nil {
		return loadedTemplate{}, err
	}
	version, err := parseVersion(base, text)
	if err != nil {
		return loadedTemplate{}, err
	}
	root, err := template.New(base).Option("missingkey=error").Parse(text)
	if err != nil {
		return loadedTemplate{}, err // it names file and line
	}
	for _, part := range []string{"system", "text"} {
		if root.Lookup(part) == nil {
			return loadedTemplate{}, fmt.Errorf(`%s:1: has no {{define "%s"}}`, base, part)
		}
	}
	t := loadedTemplate{tmpl: root, version: version}
	return t, t.tryWithSample(base)
}

func readFile(fsys fs.FS, name string) (string, error) {
	f, err := fsys.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close() //nolint:errcheck // only read
	b, err := io.ReadAll(io.LimitReader(f, maxTemplate+1))
	switch {
	case err != nil:
		return "", fmt.Errorf("%s: %w", name, err)
	case len(b) > maxTemplate:
		return "", fmt.Errorf("%s: has more than %d bytes", name, maxTemplate)
	case !utf8.Valid(b):
		return "", fmt.Errorf("%s: is not UTF-8", name)
	}
	// A checkout with CRLF line ends has the same version.
	return strings.ReplaceAll(string(b), "\r\n", "\n"), nil
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

// tryWithSample executes the template with the sample of its prompt. It returns an error if a required text of the
// sample is not in the result.
func (t loadedTemplate) tryWithSample(base string) error {
	prompt, _, _ := strings.Cut(base, ".")
	s, ok := samples()[prompt]
	if !ok {
		return fmt.Errorf("%s: there is no prompt %q", base, prompt)
	}
	system, text, err := t.fill(s.fields())
	if err != nil {
		return err // it names file and line
	}
	for _, must := range s.must {
		if !strings.Contains(system+text, must) {
			return fmt.Errorf("%s:1: %q does not come through; the template must use it", base, must)
		}
	}
	return nil
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
