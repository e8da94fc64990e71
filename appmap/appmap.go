// Package appmap remembers where things are in an application under test: its pages and what they contain, how one gets
// from one to another, which selectors worked, which interfaces it calls, its flows and its requirements, and what of
// all that no test has touched.
//
// A [Map] is a fold over the walks of the ledger ([ledger.Walk]): the same ledger gives the same bytes. It holds the
// products apart. Its methods but Add are safe for concurrent use.
//
// # Pages
//
// A page is a route, not an address: [PageOf] removes host, query and what identifies one object. Where an application
// numbers its pages in a way that no form gives away, such as /articles/how-to-pay, a place with more than 30
// names is one page, and what was seen on its pages before is joined.
//
// # Selectors
//
// A pattern is an action on an element by one selector. Its trust is the lower end of the interval of its success
// rate, in which each attempt counts .85 of the next one: six successes in a row give .7, and one failure after
// any number takes a pattern below that at once. [Map.Find] gives those that are above.
//
// # Tests
//
// A test touches what its walk touched. A page that a run was judged on is tested too, and so is an element that a run
// under way reports as tested; what no walk has brought yet waits for it.
//
// Where to look:
//   - map.go: the fold; address.go: pages; merge.go: places with many names; judged.go: judged runs; file.go saves the
//     fold
//   - trust.go: how often a selector worked; find.go: the search for one; asked.go, called.go: how a question and a
//     name are compared
//   - path.go: ways between pages; coverage.go, gaps.go: what tests touch, and what they do not;
//     requirements.go: which tests check which requirement
package appmap
