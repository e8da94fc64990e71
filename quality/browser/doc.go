// Package browser drives the pages of a service in a real browser. It is a module of its own, so that the product
// needs no browser; make browser runs it.
package browser
