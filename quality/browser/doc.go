// Package browser tests the pages of a service in a real browser. It is a separate module, so that the product does
// not depend on a browser. make browser runs it.
package browser
