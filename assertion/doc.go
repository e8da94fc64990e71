// Package assertion converts expectations about a page to code and data of test tools, so that a program can check what
// an agent once missed.
//
// # The law
//
// A line of code fails on a page with the miss and passes on one without it, for the page as it opens. If that cannot
// be guaranteed there is no code, but a reason: a number next to one of two labels, a control that a right page
// disables at times, an element visible only after a step. Such an expectation exists for people and for programs that
// compare it with an observation (package fact), not as code.
//
// The texts come from memory, and thus from outside: they are written as string literals, and nothing in them is code.
package assertion
