package assertion

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/memtree/memtree/fact"
)

// aria returns a template for the element of an expectation, "" if a template cannot express it. For the form see
// https://playwright.dev/docs/aria-snapshots.
func aria(e *fact.Expected) string {
	switch {
	case !slices.Contains(fromContent, e.Role), e.Thing == "" && e.Kind != fact.Text:
		return ""
	case e.Kind == fact.Control:
		return element(e.Role, e.Thing, "[disabled=false]")
	case e.Kind == fact.There && e.Role != "option":
		return element(e.Role, e.Thing, "")
	case e.Kind == fact.Text && !short(e.Want) && (e.Role != "heading" || e.Asked):
		return element(e.Role, e.Want, "")
	case e.Kind == fact.Set:
		state := map[bool]string{true: "[selected]", false: "[selected=false]"}[e.Want == fact.On]
		return element(e.Role, e.Thing, state)
	}
	return ""
}

// element formats one element as an item of YAML. Its name is a pattern, because the name on the page may be longer;
// the item is quoted, so that nothing in it is YAML.
func element(role, name, state string) string {
	pattern := "/" + quoteMeta(name) + "/"
	item := role + " " + pattern
	if state != "" {
		item += " " + state
	}
	b, err := json.Marshal(item)
	if err != nil {
		return ""
	}
	return "- " + string(b)
}

// quoteMeta returns a JavaScript pattern that matches s literally.
func quoteMeta(s string) string {
	var b strings.Builder
	for _, r := range s {
		if strings.ContainsRune(`\^$.*+?()[]{}|/`, r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}
