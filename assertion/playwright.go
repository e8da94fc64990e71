package assertion

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/memtree/memtree/fact"
	"github.com/memtree/memtree/internal/text"
)

// lookFor returns a check that fails if the expectation is broken, or why there is none.
func lookFor(e *fact.Expected) (l *PageCheck, why string) {
	switch e.Kind {
	case fact.Control:
		return control(e)
	case fact.There:
		return there(e)
	case fact.Input:
		return input(e)
	case fact.Set:
		return set(e)
	case fact.Text:
		return reads(e)
	case fact.Product:
		return nil, sumWhy
	default:
		return nil, valueWhy
	}
}

// fromContent are the roles whose name is their content. The name of other roles comes from a label, if there is one,
// so its absence is no evidence.
//
// Source: WAI-ARIA 1.2, 5.2.8.4 Roles Supporting Name from Content, without those of form fields, which HTML names by a
// label (HTML Accessibility API Mappings 1.0, 4.1).
var fromContent = []string{
	"button", "cell", "columnheader", "gridcell", "heading", "link", "menuitem", "option", "row", "rowheader", "tab",
	"treeitem",
}

func control(e *fact.Expected) (l *PageCheck, why string) {
	if !slices.Contains(fromContent, e.Role) {
		return nil, nameWhy
	}
	return look(isEnabled, byRole(e.Role, e.Thing)), ""
}

// there expects an element by its role. An option of a native list is not visible before the list is open, and one of a
// group is a radio button.
func there(e *fact.Expected) (l *PageCheck, why string) {
	switch e.Role {
	case "":
		return nil, roleWhy
	case "option":
		return look(isAttached, byRole("option", e.Thing), byRole("radio", e.Thing)), ""
	}
	if !slices.Contains(fromContent, e.Role) {
		return nil, nameWhy
	}
	return look(isVisible, byRole(e.Role, e.Thing)), ""
}

// input finds a field by its label or its placeholder, because a password field has no role.
func input(e *fact.Expected) (l *PageCheck, why string) {
	switch {
	case e.Want != "":
		return attribute("type", e.Want, false, byLabel(e.Thing), byPlaceholder(e.Thing)), ""
	case e.Got != "":
		return attribute("type", e.Got, true, byLabel(e.Thing), byPlaceholder(e.Thing)), ""
	}
	return nil, unknowWhy
}

func set(e *fact.Expected) (l *PageCheck, why string) {
	on := e.Want == fact.On
	switch e.Role {
	case "":
		return nil, roleWhy
	case "tab", "option":
		value := map[bool]string{true: "true", false: "false"}[on]
		return attribute("aria-selected", value, false, byRole(e.Role, e.Thing)), ""
	}
	if on {
		return look(isChecked, byRole(e.Role, e.Thing)), ""
	}
	return look(isUnchecked, byRole(e.Role, e.Thing)), ""
}

// reads expects the text of an element if its role is known, or a visible text that the task quotes. A sentence may
// call something else a heading, so a heading must be quoted too. The absence of a wrong text is no evidence: it may be
// spread over several elements.
func reads(e *fact.Expected) (l *PageCheck, why string) {
	switch {
	case short(e.Want):
		return nil, shortWhy
	case e.Role != "" && slices.Contains(fromContent, e.Role) && (e.Role != "heading" || e.Asked):
		return look(isVisible, byRole(e.Role, e.Want)), ""
	case e.Role != "" && e.Role != "heading":
		return look(isVisible, byLabel(e.Want), byText(e.Want)), ""
	case e.Asked && !strings.Contains(e.Got, e.Want):
		return look(isVisible, byText(e.Want)), ""
	}
	return nil, swapWhy
}

// short reports whether a text is less than three columns wide.
func short(s string) bool { return text.Width(strings.TrimSpace(s)) < 3 }

// literal returns a JavaScript string literal. JSON escapes what would end a string or a script; single quotes are the
// custom of the tool.
func literal(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		return "''" // impossible for a string
	}
	inner := strings.ReplaceAll(string(b[1:len(b)-1]), `\"`, `"`)
	return "'" + strings.ReplaceAll(inner, "'", `\'`) + "'"
}
