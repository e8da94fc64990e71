// Package aria knows the roles of elements of a page, as WAI-ARIA 1.2 names them.
package aria

// Trait is what elements of a role have in common. Traits can be added.
type Trait uint16

// The traits.
const (
	Operable Trait = 1 << iota // a person acts on them
	Sought                     // nobody acts on them, and yet people look for them
	Named                      // their text is their name
	Valued                     // their text is what was typed or chosen
	Stateful                   // they are on (checked, selected) or off
	Place                      // other elements are in them
	Plain                      // text or structure, and no element that one looks for
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

// Is reports whether a role has at least one of some traits. An unknown role has none.
func Is(role string, some Trait) bool { return roles[role]&some != 0 }
