package tree

import (
	"fmt"
	"slices"
	"strings"
)

// Expectation is one thing that should be true of a page. It is made once, when a miss is formed,
// from the words of From alone, so that nobody has to read these words again.
type Expectation struct {
	Where    Where    `json:"where"`
	Property Property `json:"property"`
	Expected string   `json:"expected,omitempty"` // how it should be; "" if only Seen is known
	Seen     string   `json:"seen,omitempty"`     // how it was when it was wrong; "" if nobody said
	From     string   `json:"from"`               // the words it was read from
}

// Where says which part of which page an expectation is about. All fields may be "".
type Where struct {
	Role  string `json:"role,omitempty"`  // an ARIA role
	Name  string `json:"name,omitempty"`  // of the element, or the label beside it
	Page  string `json:"page,omitempty"`  // the part of the page it belongs to; "": the whole page of the case
	After string `json:"after,omitempty"` // what has to be done before it can be seen; "": nothing
}

// Property is what of a page an expectation is about. It says how Expected and Seen are to be read.
type Property string

// The properties.
const (
	OfText      Property = "text"      // how it reads; with no name, a text that stands by itself
	OfCount     Property = "count"     // how many such elements there are
	OfState     Property = "state"     // one of the states
	OfValue     Property = "value"     // the number beside the name
	OfOrder     Property = "order"     // names in their order, between them “ > ”
	OfAttribute Property = "attribute" // name=value, as of HTML: type=password
	OfRelation  Property = "relation"  // Product
)

// The states of an element, for OfState, and the relation of numbers that can be expected.
const (
	Enabled  = "enabled"
	Disabled = "disabled"
	On       = "on" // checked, selected or switched on
	Off      = "off"
	Present  = "present"
	Absent   = "absent"

	Product = "product" // price times quantity is what stands behind them
)

// Limits on expectations.
const (
	MaxExpectations = 16 // of one miss: a count
	maxRole         = 20 // bytes
)

// Check returns what is wrong with an expectation, nil if nothing is. It knows the form alone;
// whether the words of From say so is for fact.Ground to tell.
func (e *Expectation) Check() error {
	bad := func(field, problem string, args ...any) error {
		return &FieldError{Field: "expect." + field, Problem: fmt.Sprintf(problem, args...)}
	}
	for _, x := range []struct{ name, text string }{
		{"where.name", e.Where.Name}, {"where.page", e.Where.Page}, {"where.after", e.Where.After},
		{"expected", e.Expected}, {"seen", e.Seen},
	} {
		if err := checkText(x.name, x.text, MaxName); err != nil {
			return bad(x.name, "%v", err)
		}
	}
	if err := checkText("from", e.From, MaxNodeLine); err != nil {
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
		if e.Property != OfValue && e.Property != OfOrder {
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

// propertyValues are the values that a property can have; nil: any text.
var propertyValues = map[Property][]string{
	OfText: nil, OfCount: nil, OfValue: nil, OfOrder: nil, OfAttribute: nil,
	OfState: {Enabled, Disabled, On, Off, Present, Absent}, OfRelation: {Product},
}
