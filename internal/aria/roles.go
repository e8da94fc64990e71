// Package aria knows the roles of elements of a page, as WAI-ARIA 1.2 names them.
package aria

// Trait is what the elements of a role have in common. Traits are bits, and can be combined.
type Trait uint16

// The traits.
const (
	Operable Trait = 1 << iota // people operate the element
	Sought                     // nobody operates the element, but people look for it
	Named                      // the text of the element is its name
	Valued                     // the text of the element is what was typed or chosen
	Stateful                   // the element is on (checked, selected) or off
	Place                      // the element contains others
	Plain                      // text or structure, not an element that people look for
)

const (
	field  = Operable | Named | Valued
	choice = Operable | Named | Stateful
)

var roles = map[string]Trait{
	"button": Operable | Named, "link": Operable | Named, "menuitem": Operable | Named, "treeitem": Operable | Named,
	"gridcell": Operable | Named, "listbox": Operable | Named,
	"textbox": field, "searchbox": field, "combobox": field, "slider": field, "spinbutton": field,
	"checkbox": choice, "radio": choice, "switch": choice, "tab": choice, "option": choice,
	"menuitemcheckbox": choice, "menuitemradio": choice,
	"heading": Sought | Named, "img": Sought | Named, "columnheader": Sought | Named, "rowheader": Sought | Named,
	"progressbar": Sought, "alert": Named, "status": Named, "cell": Named,
	"table": Sought | Place, "dialog": Sought | Place, "form": Sought | Place,
	"alertdialog": Place, "navigation": Place, "region": Place, "search": Place, "article": Place, "tabpanel": Place,
	"menu": Place, "toolbar": Place, "complementary": Place,
	"main": Place | Plain, "banner": Place | Plain, "contentinfo": Place | Plain, "group": Place | Plain,
	"row": Place | Plain, "listitem": Place | Plain,
	"text": Plain, "paragraph": Plain, "generic": Plain, "list": Plain, "document": Plain, "rowgroup": Plain,
	"strong": Plain, "emphasis": Plain, "code": Plain, "separator": Plain, "none": Plain, "presentation": Plain,
}

// Is reports whether role has at least one of the traits in some. An unknown role has none.
func Is(role string, some Trait) bool { return roles[role]&some != 0 }
