package tree

import (
	"fmt"
	"slices"
	"strings"
)

// Expectation is one property that a part of a page should have. It was read from the text From when the case was
// formed.
type Expectation struct {
	Where    Where  `json:"where"`
	Property string `json:"property"`           // kind of property: OfText, OfState, OfValue, …
	Expected string `json:"expected,omitempty"` // the right value; "" if only Seen is known
	Seen     string `json:"seen,omitempty"`     // the wrong value that was observed; "" if unknown
	From     string `json:"from"`               // text that the expectation was read from
}

// Where locates the part of a page that an expectation is about. All fields may be "".
type Where struct {
	Role  string `json:"role,omitempty"`  // ARIA role of the element
	Name  string `json:"name,omitempty"`  // name or label of the element
	Page  string `json:"page,omitempty"`  // part of the page that contains the element; "": the whole page of the case
	After string `json:"after,omitempty"` // what the agent has to do to make the element visible; "": nothing
}

// The values of Expectation.Property. They determine the meaning of Expected and Seen.
const (
	OfText      = "text"      // the text of the element, or any text of the page if Where has no name
	ofCount     = "count"     // the number of elements that Where locates
	OfState     = "state"     // a state of the element, such as Enabled
	OfValue     = "value"     // the number beside the name of the element
	ofOrder     = "order"     // the names of elements in order, separated by “ > ”
	OfAttribute = "attribute" // an HTML attribute of the element as name=value: type=password
	OfRelation  = "relation"  // a relation of numbers on the page; the only one is PriceTimesQuantity
)

// The values of Expected and Seen for OfState, and PriceTimesQuantity, the only one for OfRelation.
const (
	Enabled  = "enabled"
	Disabled = "disabled"
	On       = "on" // checked, selected or switched on
	Off      = "off"
	Present  = "present"
	Absent   = "absent"

	PriceTimesQuantity = "product" // of OfRelation: the value is price times quantity
)

// Limits of an Expectation.
const (
	MaxExpectations = 16 // expectations of one miss
	maxRole         = 20 // bytes of Where.Role
)

// Check returns a *FieldError for the first invalid field of e, else nil. It does not compare the other fields with the
// text From.
func (e *Expectation) Check() error {
	bad := func(field, problem string, args ...any) error {
		return &FieldError{Field: "expect." + field, Problem: fmt.Sprintf(problem, args...)}
	}
	for _, x := range []struct{ name, text string }{
		{"where.name", e.Where.Name}, {"where.page", e.Where.Page}, {"where.after", e.Where.After},
		{"expected", e.Expected}, {"seen", e.Seen},
	} {
		if err := CheckText(x.name, x.text, MaxName); err != nil {
			return bad(x.name, "%v", err)
		}
	}
	if err := CheckText("from", e.From, MaxNodeLine); err != nil {
		return bad("from", "%v", err)
	}
	role := e.Where.Role
	if len(role) > maxRole || strings.Trim(role, "abcdefghijklmnopqrstuvwxyz") != "" {
		return bad("where.role", "%q is no ARIA role; use one such as button, or leave it out", role)
	}
	values, known := propertyValues[e.Property]
	switch {
	case !known:
		return bad("property", "%q is none; use text, count, state, value, order, attribute or relation", e.Property)
	case e.From == "":
		return bad("from", "is missing; quote the words that it was read from")
	case e.Expected == "" && e.Seen == "", e.Expected == e.Seen:
		return bad("expected", "it must differ from seen, and one of them must be there")
	case e.Property != OfText && e.Property != OfRelation && e.Where.Name == "" && role == "":
		if e.Property != OfValue && e.Property != ofOrder {
			return bad("where", "neither role nor name says which element it is")
		}
	}
	for _, v := range []string{e.Expected, e.Seen} {
		if v != "" && len(values) > 0 && !slices.Contains(values, v) {
			return bad("expected", "%q is no %s; use %s", v, e.Property, strings.Join(values, ", "))
		}
		name, value, _ := strings.Cut(v, "=")
		if e.Property == OfAttribute && v != "" && (name == "" || value == "") {
			return bad("expected", "%q is no attribute; write name=value", v)
		}
	}
	return nil
}

// propertyValues are the allowed values of each property; nil: any text.
var propertyValues = map[string][]string{
	OfText: nil, ofCount: nil, OfValue: nil, ofOrder: nil, OfAttribute: nil,
	OfState: {Enabled, Disabled, On, Off, Present, Absent}, OfRelation: {PriceTimesQuantity},
}
