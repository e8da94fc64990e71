package appmap

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Script is a Playwright test that goes from one page to another.
type Script struct {
	Code   string    `json:"code"` // source in TypeScript
	Steps  []WayStep `json:"steps"`
	Proven int       `json:"proven"` // number of steps whose selector has a trust of .7 or more
}

// Errors of Map.Script.
var (
	ErrNoWay   = errors.New("the map knows no way between the two pages")
	ErrNoStart = errors.New("the first page is one of many objects; name one whose address has no variable")
)

// Script returns a Playwright test that goes from one page to another and checks the address after each step. To act on
// an element it uses the selector with most trust, or one made of role and name if no run has acted on the element. The
// code contains only selectors that can do nothing but find an element. Errors: ErrNoWay, ErrNoStart.
func (m *Map) Script(product, from, to string) (Script, error) {
	p := m.product(product)
	if p == nil {
		return Script{}, ErrNoWay
	}
	start := p.start(from)
	way, ok := m.Path(product, from, to)
	switch {
	case !ok:
		return Script{}, ErrNoWay
	case strings.Contains(start, variable):
		return Script{}, ErrNoStart
	}
	out := Script{Steps: way}
	var b strings.Builder
	b.WriteString("import { expect, test } from '@playwright/test';\n\n")
	fmt.Fprintf(&b, "test(%s, async ({ page }) => {\n  await page.goto(%s);\n", quoted(start+" to "+p.place(PageOf(to))),
		quoted(start))
	for i := range way {
		s := &out.Steps[i]
		line, proven := p.written(s)
		if proven {
			out.Proven++
		}
		b.WriteString(line)
		fmt.Fprintf(&b, "  await expect(page).toHaveURL(%s);\n", addressOf(s.To))
	}
	b.WriteString("});\n")
	out.Code = b.String()
	return out, nil
}

// written returns a step as a line of a test, with the best selector for it, and whether that has proved itself.
func (p *product) written(s *WayStep) (line string, proven bool) {
	if s.Do == "goto" && !strings.Contains(s.To, variable) {
		return "  await page.goto(" + quoted(s.To) + ");\n", false
	}
	var best *selectorRecord
	code := ""
	g := p.Pages[s.From]
	for _, key := range sortedKeys(g.Patterns) {
		fits := key.Name == s.Name && (key.Role == s.Role || s.Role == "") && (key.Role != "" || key.Name != "") ||
			s.Selector != "" && key.Selector == s.Selector
		c, ok := locator(key.Selector)
		if !fits || !ok || key.Do == "goto" {
			continue
		}
		r := g.Patterns[key]
		if best == nil || cmp.Or(cmp.Compare(r.trust(), best.trust()), form(c)-form(code)) > 0 {
			best, code, s.Selector, s.Do = r, c, key.Selector, cmp.Or(s.Do, key.Do)
		}
	}
	if best == nil {
		s.Selector = playwright(cmp.Or(s.Role, "link"), s.Name)
		return fmt.Sprintf("  await %s.click(); // not tried yet\n", s.Selector), false
	}
	proven = best.trust() >= leastTrust
	note := fmt.Sprintf("worked %d of %d times", best.Worked, best.Tried)
	if !proven {
		note += ", has not proved itself"
	}
	return fmt.Sprintf("  await %s.%s; // %s\n", code, pressed(s.Do), note), proven
}

// pressed returns the method of an action. Values that were typed are not on the map, so a field is only pressed.
func pressed(do string) string {
	if slices.Contains([]string{"dblclick", "hover", "check", "uncheck", "tap"}, do) {
		return do + "()"
	}
	if do == "press" {
		return "press('Enter')"
	}
	return "click()"
}

// addressOf returns a route as a pattern of addresses, in JavaScript.
func addressOf(route string) string {
	segments := strings.Split(strings.TrimSuffix(route, "/"), "/")
	for i, s := range segments {
		if segments[i] = strings.ReplaceAll(regexp.QuoteMeta(s), "/", `\/`); s == variable {
			segments[i] = "[^/?#]+"
		}
	}
	return "new RegExp(" + quoted(`^[^?#]*`+strings.Join(segments, "/")+`/?([?#].*)?$`) + ")"
}

func (k patternKey) compare(o patternKey) int {
	return cmp.Or(cmp.Compare(k.Do, o.Do), cmp.Compare(k.Selector, o.Selector), cmp.Compare(k.Role, o.Role),
		cmp.Compare(k.Name, o.Name))
}
