package appmap

import (
	"regexp"
	"strings"
	"sync"
)

// A selector in the form of Playwright: calls of these methods alone, with strings, numbers and names of options. What
// is between them cannot be code.
var (
	codeText   = `'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"`
	codeValue  = `(?:` + codeText + `|-?\d+|true|false)`
	codeObject = `\{\s*(?:[a-zA-Z]+\s*:\s*` + codeValue + `\s*,?\s*)*\}`
	codeArg    = `(?:` + codeValue + `|` + codeObject + `)`
	codeCall   = `\.(?:getBy(?:Role|Text|Label|TestId|Placeholder|AltText|Title)|` +
		`locator|frameLocator|filter|first|last|nth)\(\s*(?:` + codeArg + `(?:\s*,\s*` + codeArg + `)*)?\s*\)`
	codeForm = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^page(?:` + codeCall + `)+$`)
	})
)

// locator returns a selector as code of Playwright. It reports false for one that has the form of code and is more than
// the calls that find an element: tools and agents wrote it, and a test would run it.
func locator(selector string) (code string, ok bool) {
	selector = strings.TrimSpace(selector)
	switch {
	case selector == "" || strings.ContainsAny(selector, "\n\r\u2028\u2029"):
		return "", false
	case codeForm().MatchString(selector):
		return selector, true
	case strings.HasPrefix(selector, "page.") || strings.HasPrefix(selector, "page["):
		return "", false
	default:
		return "page.locator(" + quoted(selector) + ")", true
	}
}

// quoted returns a text as a string of JavaScript.
func quoted(s string) string {
	r := strings.NewReplacer(`\`, `\\`, `'`, `\'`, "\n", `\n`, "\r", `\r`, "\u2028", `\u2028`, "\u2029", `\u2029`)
	return "'" + r.Replace(s) + "'"
}
