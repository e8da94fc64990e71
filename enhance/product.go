package enhance

import (
	"fmt"
	"slices"

	"github.com/memtree/memtree/internal/guard"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// maxProduct is the most tokens of the name of a product.
const maxProduct = 12

// General reports whether a memory says what holds for any product: all its sentences are the
// catalogue's. What a person or a model worded is of the product that they had before them.
func General(n *tree.Node) bool {
	return !slices.ContainsFunc(n.Says(), func(l tree.Lesson) bool { return l.From != tree.FromCatalogue })
}

// nameProduct says where a memory of another product comes from.
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
