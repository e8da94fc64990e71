package enhance

import (
	"fmt"
	"slices"

	"github.com/memtree/memtree/internal/guard"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// maxProduct is the maximum length of the name of a product, in tokens.
const maxProduct = 12

// General reports whether the memory n applies to any product, because all its lessons come from the catalogue of
// checks, or it has none. A lesson of a person or a model is about the product that they saw.
func General(n *tree.Node) bool {
	return !slices.ContainsFunc(n.Says(), func(l tree.Lesson) bool { return l.From != tree.FromCatalogue })
}

// nameProduct adds the product of a memory of another product.
func (it *wordedMemory) nameProduct(n *tree.Node, o Options) {
	product := inert(n.Scope.Product)
	if o.Product == "" || n.Scope.Product == "" || n.Scope.Product == o.Product {
		return
	}
	from := taxonomy.Text{EN: "(From another product, %s.) ", ZH: "（来自另一产品 %s。）"}.In(o.Lang)
	if _, unsafe := guard.Unsafe(n.Scope.Product); unsafe || Tokens(product) > maxProduct {
		from, product = taxonomy.Text{EN: "(From another product.)%s ", ZH: "（来自另一产品。）%s"}.In(o.Lang), ""
	}
	it.hints[0].Check = fmt.Sprintf(from, product) + it.hints[0].Check
}
