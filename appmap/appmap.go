// Package appmap remembers where things are in an application under test: its pages and their elements, how one gets
// from one page to another, which selectors worked, which interfaces the application calls, its flows and requirements,
// and what of all that no test has touched.
//
// A [Map] is computed from the walks of the ledger ([ledger.Walk]), which list what a run or a tool saw: the same
// ledger gives the same bytes. It holds each product separately. Its methods but Add and Name are safe for concurrent
// use.
//
// # Pages
//
// A page is a route, not an address: [PageOf] removes host, query and what identifies one object. Where an application
// numbers its pages in a way that no form gives away, such as /articles/how-to-pay, a route with more than 30 different
// endings is one page, and Map joins what it saw on the single pages before.
//
// # Selectors
//
// A pattern is an action on an element by one selector. Its trust is the lower end of the interval of its success rate,
// in which each attempt counts .85 of the next one: six successes in a row give .7, and one failure after any number
// takes a pattern below that at once. [Map.Find] returns patterns with a trust of .7 or more, or another bound.
//
// # Tests
//
// A test touches what its walk touched. A page that a judged run was on is tested too, and so is an element that a run
// under way reports as tested. If no walk has shown that page or element yet, the Map notes the test until one does.
//
// Where to look:
//   - map.go: the map; address.go: pages; merge.go: routes with many endings; judged.go: judged runs; file.go saves the
//     map
//   - trust.go: how often a selector worked; find.go: the search for one; asked.go, called.go: how a question and a
//     name are compared
//   - path.go: ways between pages; coverage.go, gaps.go: what tests touch, and what they do not; requirements.go: which
//     tests check which requirement
package appmap
