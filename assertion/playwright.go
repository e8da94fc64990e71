package assertion

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/memtree/memtree/fact"
	"github.com/memtree/memtree/text"
)

// playwright returns a line that fails where the expectation is broken, or why there is none.
//
// The matchers are those of https://playwright.dev/docs/test-assertions, as of version 1.50.
func playwright(e *fact.Expected) (code, why string) {
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
		return "", sumWhy
	default:
		return "", valueWhy
	}
}

// expects writes one line.
func expects(locator, matcher string) string {
	return "await expect(page." + locator + ")." + matcher + ";"
}

func first(locator string) string { return locator + ".first()" }

// byRole finds elements of a role whose name has the text in it.
func byRole(role, name string) string {
	return "getByRole(" + literal(role) + ", { name: " + literal(name) + " })"
}

// orElse finds what either locator finds.
func orElse(a, b string) string { return a + ".or(page." + b + ")" }

// fromContent are the roles that take their name from what they show. The name of any other comes
// from a label, if there is one, so its absence says nothing.
//
// Source: WAI-ARIA 1.2, 5.2.8.4 Roles Supporting Name from Content, without those of form fields,
// which HTML names by a label (HTML Accessibility API Mappings 1.0, 4.1).
var fromContent = []string{
	"button", "cell", "columnheader", "gridcell", "heading", "link", "menuitem", "option", "row", "rowheader", "tab",
	"treeitem",
}

func control(e *fact.Expected) (code, why string) {
	if !slices.Contains(fromContent, e.Role) {
		return "", nameWhy
	}
	return expects(first(byRole(e.Role, e.Thing)), "toBeEnabled()"), ""
}

// there asks for an element by its role. An option of a native list is not visible before the list
// is open, and one of a group is a radio button.
func there(e *fact.Expected) (code, why string) {
	switch e.Role {
	case "":
		return "", roleWhy
	case "option":
		return expects(first(orElse(byRole("option", e.Thing), byRole("radio", e.Thing))), "toBeAttached()"), ""
	}
	if !slices.Contains(fromContent, e.Role) {
		return "", nameWhy
	}
	return expects(first(byRole(e.Role, e.Thing)), "toBeVisible()"), ""
}

// input finds a field by its label or its placeholder: one for passwords has no role.
func input(e *fact.Expected) (code, why string) {
	field := first(orElse("getByLabel("+literal(e.Thing)+")", "getByPlaceholder("+literal(e.Thing)+")"))
	switch {
	case e.Want != "":
		return expects(field, "toHaveAttribute('type', "+literal(e.Want)+")"), ""
	case e.Got != "":
		return expects(field, "not.toHaveAttribute('type', "+literal(e.Got)+")"), ""
	}
	return "", unknowWhy
}

func set(e *fact.Expected) (code, why string) {
	on := e.Want == fact.On
	switch e.Role {
	case "":
		return "", roleWhy
	case "tab", "option":
		value := map[bool]string{true: "true", false: "false"}[on]
		return expects(first(byRole(e.Role, e.Thing)), "toHaveAttribute('aria-selected', '"+value+"')"), ""
	}
	if on {
		return expects(first(byRole(e.Role, e.Thing)), "toBeChecked()"), ""
	}
	return expects(first(byRole(e.Role, e.Thing)), "not.toBeChecked()"), ""
}

// reads asks for how an element reads if its role is known, and for a text that the task quotes as
// to be seen. A sentence may call a heading what is none, so a heading must be quoted too. That a
// wrong text is gone says nothing: it may be spread over several elements.
func reads(e *fact.Expected) (code, why string) {
	switch {
	case short(e.Want):
		return "", shortWhy
	case e.Role != "" && slices.Contains(fromContent, e.Role) && (e.Role != "heading" || e.Asked):
		return expects(first(byRole(e.Role, e.Want)), "toBeVisible()"), ""
	case e.Role != "" && e.Role != "heading":
		label := orElse("getByLabel("+literal(e.Want)+")", "getByText("+literal(e.Want)+")")
		return expects(first(label), "toBeVisible()"), ""
	case e.Asked && !strings.Contains(e.Got, e.Want):
		return expects(first("getByText("+literal(e.Want)+")"), "toBeVisible()"), ""
	}
	return "", swapWhy
}

// short reports whether a text is of one letter or sign, or none.
func short(s string) bool { return text.Width(strings.TrimSpace(s)) < 3 }

// literal writes a string of JavaScript. JSON escapes what would end a string or a script; single
// quotes are the custom of the tool.
func literal(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		return "''" // no string can fail
	}
	inner := strings.ReplaceAll(string(b[1:len(b)-1]), `\"`, `"`)
	return "'" + strings.ReplaceAll(inner, "'", `\'`) + "'"
}
