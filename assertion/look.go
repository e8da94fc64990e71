package assertion

import "strings"

// PageCheck is one check of a page as data: an element, and its expected property. It is equivalent to
// Assertion.Playwright, for programs that check pages themselves and run no code from outside.
//
// Is, Attribute and By have no other values than those listed; a program must reject a PageCheck that has. Checking a
// page never changes it.
type PageCheck struct {
	Find []find `json:"find" doc:"The first element that any of these finds"`
	Is   string `json:"is" enum:"visible,attached,enabled,checked,unchecked,attribute"`

	Attribute string `json:"attribute,omitempty" enum:"type,aria-selected" doc:"Where is is attribute"`
	Value     string `json:"value,omitempty" doc:"Of the attribute"`
	Not       bool   `json:"not,omitempty" doc:"It must not have that value"`
}

// find is a way to find elements. Name matches a part of the whole name, in any case.
type find struct {
	By   string `json:"by" enum:"role,label,placeholder,text"`
	Role string `json:"role,omitempty" doc:"An ARIA role, where by is role"`
	Name string `json:"name"`
}

// The properties of an element.
const (
	isVisible   = "visible"
	isAttached  = "attached"
	isEnabled   = "enabled"
	isChecked   = "checked"
	isUnchecked = "unchecked"
	isAttribute = "attribute"
)

func byRole(role, name string) find  { return find{By: "role", Role: role, Name: name} }
func byLabel(name string) find       { return find{By: "label", Name: name} }
func byPlaceholder(name string) find { return find{By: "placeholder", Name: name} }
func byText(name string) find        { return find{By: "text", Name: name} }

func look(is string, find ...find) *PageCheck { return &PageCheck{Find: find, Is: is} }

// attribute expects the value of an attribute, or with not any other value.
func attribute(name, value string, not bool, find ...find) *PageCheck {
	return &PageCheck{Find: find, Is: isAttribute, Attribute: name, Value: value, Not: not}
}

// code formats a look as a line for Playwright.
//
// The matchers are those of https://playwright.dev/docs/test-assertions, as of version 1.50.
func (l *PageCheck) code() string {
	locator := ""
	for i, f := range l.Find {
		if i == 0 {
			locator = f.code()
		} else {
			locator += ".or(page." + f.code() + ")"
		}
	}
	return "await expect(page." + locator + ".first())." + l.matcher() + ";"
}

func (f find) code() string {
	if f.By == "role" {
		return "getByRole(" + literal(f.Role) + ", { name: " + literal(f.Name) + " })"
	}
	return "getBy" + strings.ToUpper(f.By[:1]) + f.By[1:] + "(" + literal(f.Name) + ")"
}

func (l *PageCheck) matcher() string {
	switch l.Is {
	case isVisible:
		return "toBeVisible()"
	case isAttached:
		return "toBeAttached()"
	case isEnabled:
		return "toBeEnabled()"
	case isChecked:
		return "toBeChecked()"
	case isUnchecked:
		return "not.toBeChecked()"
	}
	not := ""
	if l.Not {
		not = "not."
	}
	return not + "toHaveAttribute(" + literal(l.Attribute) + ", " + literal(l.Value) + ")"
}
