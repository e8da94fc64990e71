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
// A page is a route, not an address: [PageOf] removes host, query and what identifies one object. Some names identify
// an object but look like no id, such as in /articles/how-to-pay. If a place has more than 30 such names, or its pages
// look alike, Map treats them as one page and joins what it saw on each.
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
// under way reports as tested. If no walk has shown the page or element yet, Map holds the test until a walk does.
//
// Where to look:
//   - map.go: the map; address.go: pages; merge.go: routes with many endings; tested.go: judged runs; file.go saves the
//     map
//   - trust.go: how often a selector worked; find.go: the search for one; question.go, spoken.go: how a question and a
//     name are compared
//   - path.go: ways between pages; coverage.go, gaps.go: what tests touch, and what they do not; requirements.go: which
//     tests check which requirement
package appmap
